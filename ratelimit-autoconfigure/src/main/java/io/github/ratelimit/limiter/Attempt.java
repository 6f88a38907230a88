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
import org.jspecify.annotations.Nullable;

/**
 * One request's or call's attempt to draw on all its zones or on none: first on those of this instance, then in one trip
 * on those that are shared. Used by one thread, once.
 */
final class Attempt {

    /** What a refusal says while the shared store fails: by then it is asked again. */
    private static final long STORE_RETRY_NANOS = 5_000_000_000L;

    private static final int[] NONE = {};

    private final List<Charge> charges;
    private final LiveZones zones;
    private final SharedStore store;
    private final PenaltyBox penalties;
    private final LimiterListener listener;
    private final @Nullable Draw[] draws;

    Attempt(List<Charge> charges, LiveZones zones, SharedStore store, PenaltyBox penalties, LimiterListener listener) {
        this.charges = charges;
        this.zones = zones;
        this.store = store;
        this.penalties = penalties;
        this.listener = listener;
        this.draws = new Draw[charges.size()];
    }

    /** Draws from every zone, or from none. */
    boolean draw() {
        return passBans() && (draws.length == 1 || lookAtOwn()) && drawOwn() && drawShared() && passNews();
    }

    /** Whether {@link #draw} would succeed; draws nothing. */
    boolean wouldDraw() {
        return passBans() && wouldDrawUnbanned();
    }

    /** Whether it would if nobody were banned; draws nothing. */
    boolean wouldDrawUnbanned() {
        return lookAtOwn() & lookAtShared();
    }

    /** What became of the charges of an attempt that succeeded, or that only looked. */
    List<Draw> draws() {
        List<Draw> list = new ArrayList<>(draws.length);
        for (Draw draw : draws) {
            list.add(Objects.requireNonNull(draw));
        }
        return list;
    }

    /** The refusals on which an attempt failed. */
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

    /** There is no place left to wait: the zones that delay refuse, and nothing is drawn. */
    void unseat() {
        giveBack(draws.length);
        for (int i = 0; i < draws.length; i++) {
            Draw draw = draws[i];
            if (draw != null && draw.delayNanos() > 0) {
                draws[i] = draw.unseated();
            }
        }
    }

    /** Bans come before any store; a banned key that only rehearses goes on without one. */
    private boolean passBans() {
        boolean passed = true;
        for (int i = 0; i < draws.length; i++) {
            Draw banned = penalties.refusal(charges.get(i));
            if (banned != null) {
                passed &= noted(i, banned);
            }
        }
        return passed;
    }

    /** A ban of a key that this instance has not met before is heard of during the trip: what was drawn goes back. */
    private boolean passNews() {
        boolean gaveBack = false;
        for (int i : shared()) {
            Charge charge = charges.get(i);
            Draw banned = charge.dryRun() ? null : penalties.refusal(charge);
            if (banned != null) {
                gaveBack = gaveBack || gaveBackAll();
                draws[i] = banned;
            }
        }
        return !gaveBack;
    }

    private boolean lookAtOwn() {
        boolean drawable = true;
        for (int i = 0; i < draws.length; i++) {
            if (!isShared(i) && !isBanned(i)) {
                drawable &= noted(i, look(charges.get(i), Tier.LOCAL));
            }
        }
        return drawable;
    }

    private boolean drawOwn() {
        for (int i = 0; i < draws.length; i++) {
            if (!isShared(i) && !isBanned(i) && !noted(i, drawn(charges.get(i), Tier.LOCAL))) {
                giveBack(i);
                return false;
            }
        }
        return true;
    }

    private boolean drawShared() {
        int[] trip = shared();
        if (trip.length == 0) {
            return true;
        }
        return (passGuards(trip) && drawTogether(unanswered(trip))) || gaveBack();
    }

    private boolean lookAtShared() {
        int[] trip = shared();
        if (trip.length == 0) {
            return true;
        }
        try {
            return noted(trip, store.peek(demands(trip)));
        } catch (StoreUnavailableException e) {
            return lookInstead(trip);
        }
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

    /** The coarse limits of this instance come before the trip; what they let through stays spent, as the trip is made. */
    private boolean passGuards(int[] trip) {
        boolean passed = true;
        for (int i : trip) {
            Charge charge = charges.get(i);
            Algorithm guard = sharing(charge).guard();
            RateLimitKey key = Objects.requireNonNull(charge.key());
            if (guard != null) {
                Step step = zones.of(charge.zone()).guard().acquire(key, guard, 1);
                passed &= step.admitted() || noted(i, Draw.of(charge, step, Tier.LOCAL));
            }
        }
        return passed;
    }

    /** What every zone of the trip would say by itself while the store fails. */
    private boolean lookInstead(int[] trip) {
        boolean drawable = true;
        for (int i : trip) {
            Charge charge = charges.get(i);
            drawable &= noted(
                    i,
                    switch (sharing(charge).onFailure()) {
                        case ALLOW -> Draw.uncounted(charge);
                        case REJECT -> Draw.refused(charge, Reason.STORE_FAILURE, STORE_RETRY_NANOS, Tier.FALLBACK);
                        case LOCAL -> look(charge, Tier.FALLBACK);
                    });
        }
        if (!drawable) {
            forget(trip, draw -> !draw.refused());
        }
        return drawable;
    }

    private boolean drawInstead(int[] trip) {
        forget(trip, Draw::drawn);
        for (int i : unanswered(trip)) {
            if (!noted(i, drawn(charges.get(i), Tier.FALLBACK))) {
                return false;
            }
        }
        return true;
    }

    private Draw look(Charge charge, Tier tier) {
        RateLimitKey key = charge.key();
        return key == null || !charge.allowance().isLimited()
                ? uncounted(charge)
                : Draw.of(charge, zones.of(charge.zone()).store.peek(key, charge.algorithm(), charge.cost()), tier);
    }

    private Draw drawn(Charge charge, Tier tier) {
        RateLimitKey key = charge.key();
        return key == null || !charge.allowance().isLimited()
                ? uncounted(charge)
                : Draw.of(charge, zones.of(charge.zone()).store.acquire(key, charge.algorithm(), charge.cost()), tier);
    }

    /** What is said of a charge that draws on no state: the request has no key, or the key no quota. */
    private static Draw uncounted(Charge charge) {
        if (charge.key() == null) {
            return Draw.withoutKey(charge);
        }
        return charge.unlimited()
                ? Draw.unlimited(charge)
                : Draw.refused(charge, Reason.DENIED, Step.NEVER, Tier.LOCAL);
    }

    /** Notes what became of a charge; whether the request may go on. */
    private boolean noted(int i, Draw draw) {
        draws[i] = draw;
        return !draw.refusesRequest();
    }

    private boolean noted(int[] trip, List<Reply> replies) {
        boolean drawable = true;
        for (int at = 0; at < trip.length; at++) {
            drawable &= noted(trip[at], Draw.of(charges.get(trip[at]), replies.get(at)));
        }
        return drawable;
    }

    private boolean gaveBack() {
        return !gaveBackAll();
    }

    private boolean gaveBackAll() {
        giveBack(draws.length);
        return true;
    }

    /** Gives back what was drawn for the first of the charges. */
    private void giveBack(int before) {
        for (int i = 0; i < before; i++) {
            Draw draw = draws[i];
            if (draw != null) {
                Settlement.refund(draw, draw.charge().cost(), zones, store);
            }
        }
    }

    private void forget(int[] trip, Predicate<Draw> which) {
        for (int i : trip) {
            Draw draw = draws[i];
            if (draw != null && which.test(draw)) {
                draws[i] = null;
            }
        }
    }

    private List<Demand> demands(int[] trip) {
        List<Demand> demands = new ArrayList<>(trip.length);
        for (int i : trip) {
            Charge charge = charges.get(i);
            demands.add(Settlement.demand(charge, Objects.requireNonNull(charge.key()), charge.cost()));
        }
        return demands;
    }

    /** The charges that a shared store decides. */
    private int[] shared() {
        int[] trip = NONE;
        for (int i = 0; i < draws.length; i++) {
            if (isShared(i) && !isBanned(i)) {
                trip = Arrays.copyOf(trip, trip.length + 1);
                trip[trip.length - 1] = i;
            }
        }
        return trip;
    }

    /** Those of the trip about which nothing is said yet. */
    private int[] unanswered(int[] trip) {
        return Arrays.stream(trip).filter(i -> draws[i] == null).toArray();
    }

    private boolean isBanned(int i) {
        Draw draw = draws[i];
        return draw != null && draw.reason() == Reason.PENALTY;
    }

    private boolean isShared(int i) {
        Charge charge = charges.get(i);
        return charge.zone().sharing() != null
                && charge.key() != null
                && charge.allowance().isLimited();
    }

    private static Sharing sharing(Charge charge) {
        return Objects.requireNonNull(charge.zone().sharing());
    }
}
