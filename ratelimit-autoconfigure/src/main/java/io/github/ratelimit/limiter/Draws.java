package io.github.ratelimit.limiter;

import io.github.ratelimit.Decision.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What has become of the charges of one attempt so far, by their number. Used by one thread. */
final class Draws {

    private final List<Charge> charges;
    private final @Nullable Draw[] draws;

    Draws(List<Charge> charges) {
        this.charges = charges;
        this.draws = new Draw[charges.size()];
    }

    int count() {
        return draws.length;
    }

    Charge charge(int i) {
        return charges.get(i);
    }

    /** What became of a charge; {@code null} when nothing is said about it yet. */
    @Nullable
    Draw at(int i) {
        return draws[i];
    }

    /** Notes what became of a charge; whether the request may go on. */
    boolean noted(int i, Draw draw) {
        draws[i] = draw;
        return !draw.refusesRequest();
    }

    /** Nothing is said about a charge any more. */
    void forget(int i) {
        draws[i] = null;
    }

    /** Whether a charge's key is banned, if only in rehearsal: then no store is asked about it. */
    boolean isBanned(int i) {
        Draw draw = draws[i];
        return draw != null && draw.reason() == Reason.PENALTY;
    }

    /** What became of all of them. */
    List<Draw> all() {
        List<Draw> list = new ArrayList<>(draws.length);
        for (Draw draw : draws) {
            list.add(Objects.requireNonNull(draw));
        }
        return list;
    }

    /** Those that refuse the request. */
    List<Draw> refusals() {
        List<Draw> list = new ArrayList<>(1);
        for (Draw draw : draws) {
            if (draw != null && draw.refusesRequest()) {
                list.add(draw);
            }
        }
        return list;
    }

    /** How long the request has to wait: the longest delay of its zones, once. */
    long delayNanos() {
        long longest = 0;
        for (Draw draw : draws) {
            longest = draw == null ? longest : Math.max(longest, draw.delayNanos());
        }
        return longest;
    }

    /** There is no place left to wait: those that delay refuse. */
    void unseat() {
        for (int i = 0; i < draws.length; i++) {
            Draw draw = draws[i];
            if (draw != null && draw.delayNanos() > 0) {
                draws[i] = draw.unseated();
            }
        }
    }
}
