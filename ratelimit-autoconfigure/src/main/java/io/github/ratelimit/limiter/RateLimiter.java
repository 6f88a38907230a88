package io.github.ratelimit.limiter;

import io.github.ratelimit.Decision;
import io.github.ratelimit.Decision.Outcome;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.policy.Policy;
import io.github.ratelimit.policy.Rule;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.store.ZoneUsage;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The one engine: decides over all zones of a request or call, all or nothing.
 *
 * <p>As nginx does, it looks at every zone before it charges any; a zone that is lost to a concurrent request between
 * the look and the charge gives back what this request drew. Safe for use by many threads.
 */
public final class RateLimiter {

    private final Map<String, LiveZone> zones = new ConcurrentHashMap<>();
    private final Map<String, RuleStatistics> rules = new ConcurrentHashMap<>();
    private volatile Map<Rule, RuleStatistics> rulesInForce = Map.of();
    private final ZoneStores stores;
    private final WaitingSeats seats;
    private final InstantSource clock;

    /**
     * An engine.
     *
     * @param stores gives the state of a zone; asked again when a zone's configuration changes
     * @param seats the places for requests and calls that have to wait
     * @param clock the wall clock, for display only
     */
    public RateLimiter(ZoneStores stores, WaitingSeats seats, InstantSource clock) {
        this.stores = stores;
        this.seats = seats;
        this.clock = clock;
    }

    /** Puts the configuration of zones in force whose state may exist already; state and counters stay. */
    public void configure(Policy policy) {
        policy.zones().values().forEach(stores::open);
        Map<Rule, RuleStatistics> known = new IdentityHashMap<>();
        policy.rules().forEach(rule -> known.put(rule, statisticsByName(rule)));
        rulesInForce = known;
    }

    /**
     * Decides about a request or call and draws its permits. When the ruling has a delay, a seat is taken for it.
     *
     * @param charges what it has to pay, no zone and key twice
     * @return {@code null} when there is nothing to pay
     */
    public @Nullable Ruling acquire(List<Charge> charges) {
        if (charges.isEmpty()) {
            return null;
        }
        @Nullable Step[] steps = new Step[charges.size()];
        boolean refused = steps.length > 1 && look(charges, steps);
        return refused || !draw(charges, steps) || !seated(charges, steps)
                ? refused(charges, steps)
                : admitted(charges, steps);
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
        return look(charges, steps) ? refused(charges, steps) : null;
    }

    /** Draws more for a charge that was paid, whether or not there is any left. */
    public void charge(Draw draw, long permits) {
        Charge charge = draw.charge();
        RateLimitKey key = charge.key();
        Step step = draw.step();
        if (permits > 0 && key != null && step != null && draw.drawn()) {
            live(charge.zone()).store.charge(key, charge.zone().algorithm(), permits, step);
        }
    }

    /** Gives back permits that were drawn. */
    public void refund(Draw draw, long permits) {
        Charge charge = draw.charge();
        RateLimitKey key = charge.key();
        Step step = draw.step();
        if (permits > 0 && key != null && step != null && draw.drawn()) {
            live(charge.zone()).store.refund(key, charge.zone().algorithm(), permits, step);
        }
    }

    /** What {@link #acquire} would say to one permit for this key; spends nothing. */
    public Decision peek(Zone zone, RateLimitKey key) {
        return peek(zone, key, 1);
    }

    /** What {@link #acquire} would say; spends nothing. A cost of 0 tells what the key has now. */
    public Decision peek(Zone zone, RateLimitKey key, long cost) {
        return Decisions.of(new Charge(zone, key, cost, false), live(zone).store.peek(key, zone.algorithm(), cost));
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
        RuleStatistics statistics = rulesInForce.get(rule);
        return statistics != null ? statistics : statisticsByName(rule);
    }

    private RuleStatistics statisticsByName(Rule rule) {
        return rules.computeIfAbsent(rule.name() + "\n" + rule.source(), name -> new RuleStatistics());
    }

    /** Looks at every zone; whether an enforced one would refuse. */
    private boolean look(List<Charge> charges, @Nullable Step[] steps) {
        boolean refused = false;
        for (int i = 0; i < steps.length; i++) {
            Charge charge = charges.get(i);
            RateLimitKey key = charge.key();
            steps[i] = key == null
                    ? null
                    : live(charge.zone()).store.peek(key, charge.zone().algorithm(), charge.cost());
            refused |= enforced(charge, steps[i]);
        }
        return refused;
    }

    /** Draws from every zone, or from none. */
    private boolean draw(List<Charge> charges, @Nullable Step[] steps) {
        for (int i = 0; i < steps.length; i++) {
            Charge charge = charges.get(i);
            RateLimitKey key = charge.key();
            steps[i] = key == null
                    ? null
                    : live(charge.zone()).store.acquire(key, charge.zone().algorithm(), charge.cost());
            if (enforced(charge, steps[i])) {
                giveBack(charges, steps, i);
                return false;
            }
        }
        return true;
    }

    /** Takes a seat if there is anything to wait for; without one, the zones that delay refuse, and nothing is drawn. */
    private boolean seated(List<Charge> charges, @Nullable Step[] steps) {
        if (delayNanos(charges, steps) == 0 || seats.take()) {
            return true;
        }
        giveBack(charges, steps, steps.length);
        for (int i = 0; i < steps.length; i++) {
            Step step = steps[i];
            if (step != null && step.delayNanos() > 0 && !charges.get(i).dryRun()) {
                steps[i] = step.unseated(charges.get(i).cost());
            }
        }
        return false;
    }

    private static long delayNanos(List<Charge> charges, @Nullable Step[] steps) {
        long longest = 0;
        for (int i = 0; i < steps.length; i++) {
            Step step = steps[i];
            if (step != null && !charges.get(i).dryRun()) {
                longest = Math.max(longest, step.delayNanos());
            }
        }
        return longest;
    }

    private void giveBack(List<Charge> charges, @Nullable Step[] steps, int before) {
        for (int i = 0; i < before; i++) {
            refund(new Draw(charges.get(i), steps[i]), charges.get(i).cost());
        }
    }

    private static boolean enforced(Charge charge, @Nullable Step step) {
        return !charge.dryRun() && (step == null || !step.admitted());
    }

    private Ruling admitted(List<Charge> charges, @Nullable Step[] steps) {
        List<Decision> decisions = new ArrayList<>(steps.length);
        List<Draw> draws = new ArrayList<>(steps.length);
        @Nullable Decision strictest = null;
        for (int i = 0; i < steps.length; i++) {
            Decision decision = counted(charges.get(i), steps[i]);
            decisions.add(decision);
            draws.add(new Draw(charges.get(i), steps[i]));
            if (strictest == null || Decisions.isStricter(decision, strictest)) {
                strictest = decision;
            }
        }
        long delay = delayNanos(charges, steps);
        return new Ruling(
                Objects.requireNonNull(strictest),
                decisions,
                draws,
                delay == 0 ? Duration.ZERO : Duration.ofNanos(delay));
    }

    private Ruling refused(List<Charge> charges, @Nullable Step[] steps) {
        List<Decision> decisions = new ArrayList<>(steps.length);
        @Nullable Decision longest = null;
        for (int i = 0; i < steps.length; i++) {
            Charge charge = charges.get(i);
            // a draw that lost a race stopped there: zones behind it were only looked at, and are not counted
            if (enforced(charge, steps[i])) {
                Decision decision = counted(charge, steps[i]);
                decisions.add(decision);
                if (longest == null || Decisions.waitsLonger(decision, longest)) {
                    longest = decision;
                }
            }
        }
        return new Ruling(Objects.requireNonNull(longest), decisions, List.of(), Duration.ZERO);
    }

    private Decision counted(Charge charge, @Nullable Step step) {
        LiveZone zone = live(charge.zone());
        Decision decision = Decisions.of(charge, step);
        zone.statistics.add(decision.outcome(), Tier.LOCAL);
        if (decision.outcome() == Outcome.REJECTED) {
            zone.statistics.addRejection(Objects.requireNonNull(decision.reason()), clock.instant());
        }
        if (step != null && step.foundNoRoom()) {
            zone.warnOfFullness(charge.zone(), clock.millis());
        }
        return decision;
    }

    private LiveZone live(Zone zone) {
        LiveZone live = zones.get(zone.name());
        return live != null ? live : zones.computeIfAbsent(zone.name(), name -> new LiveZone(stores.open(zone)));
    }
}
