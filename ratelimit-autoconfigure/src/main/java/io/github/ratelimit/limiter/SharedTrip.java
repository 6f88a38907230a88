package io.github.ratelimit.limiter;

import io.github.ratelimit.Decision.Reason;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.policy.Sharing;
import io.github.ratelimit.store.Demand;
import io.github.ratelimit.store.Reply;
import io.github.ratelimit.store.SharedStore;
import io.github.ratelimit.store.StoreUnavailableException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * One request's trip to the shared store, for all its charges that are kept there; when the store fails, each zone says
 * itself what stands in for it. Used by one thread, once.
 */
final class SharedTrip {

    /** What a refusal says while the shared store fails: by then it is asked again. */
    private static final long STORE_RETRY_NANOS = 5_000_000_000L;

    private final Draws draws;
    private final int[] charges;
    private final LiveZones zones;
    private final SharedStore store;
    private final LimiterListener listener;

    /**
     * A trip.
     *
     * @param draws told what becomes of the charges
     * @param charges numbers of those that are kept in the store
     */
    SharedTrip(Draws draws, int[] charges, LiveZones zones, SharedStore store, LimiterListener listener) {
        this.draws = draws;
        this.charges = charges;
        this.zones = zones;
        this.store = store;
        this.listener = listener;
    }

    /** Draws for all charges; what was drawn by then is noted when it does not. */
    boolean draw() {
        return passGuards() && drawTogether(unanswered());
    }

    /** Whether {@link #draw} would succeed, the guards left out; draws nothing. */
    boolean look() {
        try {
            return noted(charges, store.peek(demands(charges)));
        } catch (StoreUnavailableException e) {
            return lookInstead(charges);
        }
    }

    /** The coarse limits of this instance come before the trip; what they let through stays spent, as the trip is made. */
    private boolean passGuards() {
        boolean passed = true;
        for (int i : charges) {
            Charge charge = draws.charge(i);
            Algorithm guard = sharing(charge).guard();
            RateLimitKey key = Objects.requireNonNull(charge.key());
            if (guard != null) {
                Step step = zones.of(charge.zone()).guard().acquire(key, guard, 1);
                passed &= step.admitted() || draws.noted(i, Draw.of(charge, step, Tier.LOCAL));
            }
        }
        return passed;
    }

    private boolean drawTogether(int[] trip) {
        if (trip.length == 0) {
            return true;
        }
        List<Reply> replies;
        long start = System.nanoTime();
        try {
            replies = store.acquire(demands(trip));
        } catch (StoreUnavailableException e) {
            listener.asked(e.kind(), System.nanoTime() - start);
            return lookInstead(trip) && drawInstead(trip);
        }
        if (replies.stream().anyMatch(Reply::asked)) {
            listener.asked(null, System.nanoTime() - start);
        }
        if (noted(trip, replies)) {
            return true;
        }
        // the store drew for none of them
        forget(trip, draw -> !draw.refused());
        return false;
    }

    /** What every zone of the trip would say by itself while the store fails. */
    private boolean lookInstead(int[] trip) {
        boolean drawable = true;
        for (int i : trip) {
            Charge charge = draws.charge(i);
            drawable &= draws.noted(
                    i,
                    switch (sharing(charge).onFailure()) {
                        case ALLOW -> Draw.uncounted(charge);
                        case REJECT -> Draw.refused(charge, Reason.STORE_FAILURE, STORE_RETRY_NANOS, Tier.FALLBACK);
                        case LOCAL -> zones.look(charge, Tier.FALLBACK);
                    });
        }
        if (!drawable) {
            forget(trip, draw -> !draw.refused());
        }
        return drawable;
    }

    private boolean drawInstead(int[] trip) {
        forget(trip, Draw::drawn);
        for (int i : unanswered()) {
            if (!draws.noted(i, zones.draw(draws.charge(i), Tier.FALLBACK))) {
                return false;
            }
        }
        return true;
    }

    private boolean noted(int[] trip, List<Reply> replies) {
        boolean drawable = true;
        for (int at = 0; at < trip.length; at++) {
            drawable &= draws.noted(trip[at], Draw.of(draws.charge(trip[at]), replies.get(at)));
        }
        return drawable;
    }

    private void forget(int[] trip, Predicate<Draw> which) {
        for (int i : trip) {
            Draw draw = draws.at(i);
            if (draw != null && which.test(draw)) {
                draws.forget(i);
            }
        }
    }

    /** Those about which nothing is said yet. */
    private int[] unanswered() {
        return Arrays.stream(charges).filter(i -> draws.at(i) == null).toArray();
    }

    private List<Demand> demands(int[] trip) {
        List<Demand> demands = new ArrayList<>(trip.length);
        for (int i : trip) {
            Charge charge = draws.charge(i);
            demands.add(charge.demand(charge.cost()));
        }
        return demands;
    }

    private static Sharing sharing(Charge charge) {
        return Objects.requireNonNull(charge.zone().sharing());
    }
}
