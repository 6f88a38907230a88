package io.github.ratelimit.limiter;

import io.github.ratelimit.Decision;
import io.github.ratelimit.Decision.Outcome;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.policy.Rule;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.store.ZoneStore;
import io.github.ratelimit.store.ZoneUsage;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one engine: decides over all zones of a request or call, all or nothing.
 *
 * <p>As nginx does, it looks at every zone before it charges any; a zone that is lost to a concurrent request between
 * the look and the charge gives back what this request drew. Safe for use by many threads.
 */
public final class RateLimiter {

    private static final Logger log = LoggerFactory.getLogger(RateLimiter.class);
    private static final long WARN_MILLIS = 60_000;

    private final Map<String, LiveZone> zones = new ConcurrentHashMap<>();
    private final Map<String, RuleStatistics> rules = new ConcurrentHashMap<>();
    private final Function<Zone, ZoneStore> stores;
    private final InstantSource clock;

    /**
     * An engine.
     *
     * @param stores gives the state of a zone; asked again when a zone's configuration changes
     * @param clock the wall clock, for display only
     */
    public RateLimiter(Function<Zone, ZoneStore> stores, InstantSource clock) {
        this.stores = stores;
        this.clock = clock;
    }

    /**
     * Decides about a request or call and draws its permits.
     *
     * @param charges what it has to pay, no zone twice
     * @return {@code null} when there is nothing to pay
     */
    public @Nullable Ruling acquire(List<Charge> charges) {
        if (charges.isEmpty()) {
            return null;
        }
        @Nullable Step[] steps = new Step[charges.size()];
        int refusedAt = steps.length == 1 ? -1 : look(charges, steps);
        if (refusedAt < 0) {
            refusedAt = draw(charges, steps);
        }
        return refusedAt < 0 ? admitted(charges, steps) : refused(charges, steps);
    }

    /**
     * Whether {@link #acquire} would refuse; draws nothing, and counts only a refusal.
     *
     * @return the refusal, {@code null} when there would be none
     */
    public @Nullable Ruling wouldRefuse(List<Charge> charges) {
        if (charges.isEmpty()) {
            return null;
        }
        @Nullable Step[] steps = new Step[charges.size()];
        return look(charges, steps) < 0 ? null : refused(charges, steps);
    }

    /** What {@link #acquire} would say to one permit for this key; spends nothing. */
    public Decision peek(Zone zone, RateLimitKey key) {
        return peek(zone, key, 1);
    }

    /** What {@link #acquire} would say; spends nothing. A cost of 0 tells what the key has now. */
    public Decision peek(Zone zone, RateLimitKey key, long cost) {
        return decision(new Charge(zone, key, cost, false), live(zone).store.peek(key, zone.algorithm(), cost));
    }

    /** How full a zone is. */
    public ZoneUsage usage(Zone zone) {
        return live(zone).store.usage();
    }

    /** The counters of a zone. */
    public ZoneStatistics statistics(Zone zone) {
        return live(zone).statistics;
    }

    /** The counters of a rule; a rule of the same name that is written elsewhere has its own. */
    public RuleStatistics statistics(Rule rule) {
        return rules.computeIfAbsent(rule.name() + "\n" + rule.source(), name -> new RuleStatistics());
    }

    /** The index of an enforced zone that would refuse, negative when there is none. */
    private int look(List<Charge> charges, @Nullable Step[] steps) {
        int refusedAt = -1;
        for (int i = 0; i < steps.length; i++) {
            Charge charge = charges.get(i);
            RateLimitKey key = charge.key();
            steps[i] = key == null
                    ? null
                    : live(charge.zone()).store.peek(key, charge.zone().algorithm(), charge.cost());
            if (enforced(charge, steps[i])) {
                refusedAt = i;
            }
        }
        return refusedAt;
    }

    /** Draws from every zone, or from none; the index of the zone that refused, negative when there is none. */
    private int draw(List<Charge> charges, @Nullable Step[] steps) {
        for (int i = 0; i < steps.length; i++) {
            Charge charge = charges.get(i);
            RateLimitKey key = charge.key();
            steps[i] = key == null
                    ? null
                    : live(charge.zone()).store.acquire(key, charge.zone().algorithm(), charge.cost());
            if (enforced(charge, steps[i])) {
                giveBack(charges, steps, i);
                return i;
            }
        }
        return -1;
    }

    private void giveBack(List<Charge> charges, @Nullable Step[] steps, int before) {
        for (int i = 0; i < before; i++) {
            Charge charge = charges.get(i);
            Step step = steps[i];
            if (step != null && step.admitted()) {
                live(charge.zone())
                        .store
                        .refund(
                                Objects.requireNonNull(charge.key()),
                                charge.zone().algorithm(),
                                charge.cost(),
                                step);
            }
        }
    }

    private static boolean enforced(Charge charge, @Nullable Step step) {
        return !charge.dryRun() && (step == null || !step.admitted());
    }

    private Ruling admitted(List<Charge> charges, @Nullable Step[] steps) {
        List<Decision> decisions = new ArrayList<>(steps.length);
        Decision strictest = null;
        for (int i = 0; i < steps.length; i++) {
            Decision decision = counted(charges.get(i), steps[i]);
            decisions.add(decision);
            if (strictest == null || isStricter(decision, strictest)) {
                strictest = decision;
            }
        }
        return new Ruling(Objects.requireNonNull(strictest), decisions);
    }

    private Ruling refused(List<Charge> charges, @Nullable Step[] steps) {
        List<Decision> decisions = new ArrayList<>(steps.length);
        Decision longest = null;
        for (int i = 0; i < steps.length; i++) {
            Charge charge = charges.get(i);
            // a draw that lost a race stopped there: zones behind it were only looked at, and are not counted
            if (enforced(charge, steps[i])) {
                Decision decision = counted(charge, steps[i]);
                decisions.add(decision);
                if (longest == null || waitsLonger(decision, longest)) {
                    longest = decision;
                }
            }
        }
        return new Ruling(Objects.requireNonNull(longest), decisions);
    }

    /** Enforced before dry run, then the fewest permits left. */
    private static boolean isStricter(Decision decision, Decision than) {
        boolean dry = decision.outcome() == Outcome.DRY_RUN_REJECTED;
        boolean thanDry = than.outcome() == Outcome.DRY_RUN_REJECTED;
        return dry == thanDry ? decision.remaining() < than.remaining() : thanDry;
    }

    private static boolean waitsLonger(Decision decision, Decision than) {
        if (decision.retryAfter() == null || than.retryAfter() == null) {
            return decision.retryAfter() == null && than.retryAfter() != null;
        }
        return decision.retryAfter().compareTo(than.retryAfter()) > 0;
    }

    private Decision counted(Charge charge, @Nullable Step step) {
        LiveZone zone = live(charge.zone());
        Decision decision = decision(charge, step);
        zone.statistics.add(decision.outcome(), Tier.LOCAL);
        if (decision.outcome() == Outcome.REJECTED) {
            zone.statistics.addRejection(Objects.requireNonNull(decision.reason()), clock.instant());
        }
        if (step != null && wasFull(step)) {
            warnOfFullness(charge.zone(), zone);
        }
        return decision;
    }

    private static Decision decision(Charge charge, @Nullable Step step) {
        return step == null ? Decisions.missingKey(charge) : Decisions.of(charge, step);
    }

    private static boolean wasFull(Step step) {
        return switch (step.verdict()) {
            case ADMITTED_SHARED, REFUSED_SHARED, REFUSED_FULL -> true;
            case ADMITTED, REFUSED, UNAFFORDABLE -> false;
        };
    }

    private void warnOfFullness(Zone zone, LiveZone live) {
        long now = clock.millis();
        long due = live.nextFullWarning.get();
        if (now >= due && live.nextFullWarning.compareAndSet(due, now + WARN_MILLIS)) {
            log.warn(
                    "Zone '{}' is full: it holds {} keys, and newcomers {}. Raise ratelimit.zones.{}.max-keys;"
                            + " {} decisions were made in shared buckets so far",
                    zone.name(),
                    zone.maxKeys(),
                    zone.whenFull() == Zone.WhenFull.SHARE ? "share buckets" : "are refused",
                    zone.name(),
                    live.store.usage().shared());
        }
    }

    private LiveZone live(Zone zone) {
        LiveZone live = zones.get(zone.name());
        return live != null && live.zone == zone
                ? live
                : zones.compute(
                        zone.name(),
                        (name, before) -> before != null && before.zone == zone
                                ? before
                                : new LiveZone(zone, stores.apply(zone), before));
    }
}
