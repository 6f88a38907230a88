package io.github.ratelimit.limiter;

import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.store.Reply;
import io.github.ratelimit.store.SharedStore;
import org.jspecify.annotations.Nullable;

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
        settle(draw, permits, true);
    }

    /** Gives permits back. */
    void refund(Draw draw, long permits) {
        settle(draw, permits, false);
    }

    private void settle(Draw draw, long permits, boolean more) {
        Charge charge = draw.charge();
        RateLimitKey key = charge.key();
        @Nullable Step step = draw.step();
        if (permits <= 0 || key == null || step == null || !draw.drawn()) {
            return;
        }
        @Nullable Reply reply = draw.reply();
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
