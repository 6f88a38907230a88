package io.github.ratelimit.limiter;

import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.policy.Sharing;
import io.github.ratelimit.store.Demand;
import io.github.ratelimit.store.Reply;
import io.github.ratelimit.store.SharedStore;
import org.jspecify.annotations.Nullable;

/** Settles what was drawn, in the place from which it was drawn. */
final class Settlement {

    private Settlement() {}

    static void charge(Draw draw, long permits, LiveZones zones, SharedStore shared) {
        Charge charge = draw.charge();
        RateLimitKey key = charge.key();
        Step step = draw.step();
        if (permits <= 0 || key == null || step == null || !draw.drawn()) {
            return;
        }
        Reply reply = draw.reply();
        if (reply != null) {
            shared.charge(demand(charge, key, permits), reply);
        } else {
            zones.of(charge.zone()).store.charge(key, charge.algorithm(), permits, step);
        }
    }

    static void refund(Draw draw, long permits, LiveZones zones, SharedStore shared) {
        Charge charge = draw.charge();
        RateLimitKey key = charge.key();
        Step step = draw.step();
        if (permits <= 0 || key == null || step == null || !draw.drawn()) {
            return;
        }
        Reply reply = draw.reply();
        if (reply != null) {
            shared.refund(demand(charge, key, permits), reply);
        } else {
            zones.of(charge.zone()).store.refund(key, charge.algorithm(), permits, step);
        }
    }

    /** What a charge wants of a shared store. */
    static Demand demand(Charge charge, RateLimitKey key, long cost) {
        @Nullable Sharing sharing = charge.zone().sharing();
        return new Demand(
                charge.zone().name(),
                key,
                charge.algorithm(),
                cost,
                !charge.dryRun(),
                sharing == null ? 1 : sharing.lease());
    }
}
