package io.github.ratelimit.limiter;

import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.store.Reply;
import io.github.ratelimit.store.SharedStore;
import java.util.Objects;

/** Settles what was drawn, in the place from which it was drawn. */
final class Settlement {

    private final LiveZones zones;
    private final SharedStore shared;

    Settlement(LiveZones zones, SharedStore shared) {
        this.zones = zones;
        this.shared = shared;
    }

    /** Draws more permits, whether or not there are any left. */
    void charge(Draw draw, long permits) {
        if (draw.drawn() && permits > 0) {
            settle(draw, permits, true);
        }
    }

    /** Gives permits back. */
    void refund(Draw draw, long permits) {
        if (draw.drawn() && permits > 0) {
            settle(draw, permits, false);
        }
    }

    /** Draws what a quota has just refused: its key owes it. What was refused for another reason owes nothing. */
    void owe(Draw draw) {
        if (draw.reason() == null) {
            settle(draw, draw.charge().cost(), true);
        }
    }

    private void settle(Draw draw, long permits, boolean more) {
        Charge charge = draw.charge();
        RateLimitKey key = Objects.requireNonNull(charge.key());
        Step step = Objects.requireNonNull(draw.step());
        Reply reply = draw.reply();
        if (reply != null && more) {
            shared.charge(charge.demand(permits), reply);
        } else if (reply != null) {
            shared.refund(charge.demand(permits), reply);
        } else if (more) {
            zones.of(charge.zone()).store.charge(key, charge.algorithm(), permits, step);
        } else {
            zones.of(charge.zone()).store.refund(key, charge.algorithm(), permits, step);
        }
    }
}
