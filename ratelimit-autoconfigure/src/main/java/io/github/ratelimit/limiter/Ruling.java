package io.github.ratelimit.limiter;

import io.github.ratelimit.Decision;
import java.time.Duration;
import java.util.List;

/**
 * What the limiter says about one request or call.
 *
 * @param decision the decision that counts: of the refusals the one with the longest wait, else the strictest
 * @param zones the decisions of all zones that had a say, at least one
 * @param draws what became of the charges, in their order; empty when it was refused
 * @param delay how long it has to wait: the longest delay of its zones, once; zero for at once
 */
public record Ruling(Decision decision, List<Decision> zones, List<Draw> draws, Duration delay) {

    /** Copies the lists. */
    public Ruling {
        zones = List.copyOf(zones);
        draws = List.copyOf(draws);
    }
}
