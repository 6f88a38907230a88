package io.github.ratelimit.limiter;

import io.github.ratelimit.Decision;
import java.util.List;

/**
 * What the limiter says about one request or call.
 *
 * @param decision the decision that counts: of the refusals the one with the longest wait, else the strictest
 * @param zones the decisions of all zones that had a say, at least one
 */
public record Ruling(Decision decision, List<Decision> zones) {

    /** Copies the decisions. */
    public Ruling {
        zones = List.copyOf(zones);
    }
}
