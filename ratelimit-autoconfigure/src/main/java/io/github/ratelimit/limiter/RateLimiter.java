package io.github.ratelimit.limiter;

import io.github.ratelimit.Decision;
import io.github.ratelimit.Decision.Outcome;
import io.github.ratelimit.Decision.Reason;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.observe.Origin;
import io.github.ratelimit.observe.Refusal;
import io.github.ratelimit.observe.ZoneObserver;
import io.github.ratelimit.policy.Policy;
import io.github.ratelimit.policy.Rule;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.store.Bans;
import io.github.ratelimit.store.Bans.Ban;
import io.github.ratelimit.store.Bans.Standing;
import io.github.ratelimit.store.SharedStore;
import io.github.ratelimit.store.StoreHealth;
import io.github.ratelimit.store.StoreUnavailableException;
import io.github.ratelimit.store.ZoneUsage;
import java.time.Duration;
import java.time.Instant;
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

    private final Map<String, RuleStatistics> rules = new ConcurrentHashMap<>();
    private volatile Map<Rule, RuleStatistics> rulesInForce = Map.of();
    private final LiveZones zones;
    private final SharedStore shared;
    private final Settlement settlement;
    private final WaitingSeats seats;
    private final LimiterListeners listeners = new LimiterListeners();
    private final PenaltyBox penalties;
    private final InstantSource clock;

    /**
     * An engine.
     *
     * @param stores gives the state of a zone in this instance; asked again when a zone's configuration changes
     * @param shared the state of the zones that are shared with other instances
     * @param seats the places for requests and calls that have to wait
     * @param bans the keys that are banned in this instance
     * @param sharedBans those that are banned from zones that are shared
     * @param clock the wall clock, for display and advice; it decides nothing
     */
    public RateLimiter(
            ZoneStores stores,
            SharedStore shared,
            WaitingSeats seats,
            Bans bans,
            Bans sharedBans,
            InstantSource clock) {
        this.zones = new LiveZones(stores);
        this.shared = shared;
        this.settlement = new Settlement(zones, shared);
        this.seats = seats;
        this.penalties = new PenaltyBox(bans, sharedBans, listeners, clock);
        this.clock = clock;
    }

    /**
     * Has a listener told of what becomes of requests.
     *
     * @return once this has run, the listener is not called again
     */
    public Runnable onNews(LimiterListener listener) {
        return listeners.add(listener);
    }

    /** Puts the configuration of zones in force whose state may exist already; state and counters stay. */
    public void configure(Policy policy) {
        policy.zones().values().forEach(zones::configure);
        Map<Rule, RuleStatistics> known = new IdentityHashMap<>();
        policy.rules().forEach(rule -> known.put(rule, statisticsByName(rule)));
        rulesInForce = known;
    }

    /**
     * Decides about a request or call and draws its permits. When the ruling has a delay, a seat is taken for it.
     *
     * @param charges what it has to pay, no zone and key twice
     * @param origin what led to it, looked at only if it is refused
     * @return {@code null} when there is nothing to pay
     */
    public @Nullable Ruling acquire(List<Charge> charges, Origin origin) {
        if (charges.isEmpty()) {
            return null;
        }
        Attempt attempt = attempt(charges);
        if (!attempt.draw()) {
            return refused(attempt, origin, true);
        }
        // who finds no seat was not refused for what it did
        return seated(attempt) ? admitted(attempt, origin) : refused(attempt, origin, false);
    }

    /** Decides about a call of which nothing else is known. */
    public @Nullable Ruling acquire(List<Charge> charges) {
        return acquire(charges, Origin.UNKNOWN);
    }

    /**
     * Whether {@link #acquire} would refuse; draws nothing, and counts only a refusal.
     *
     * @param origin what led to it, looked at only if it is refused
     * @return the refusal, {@code null} when there would be none
     */
    public @Nullable Ruling wouldRefuse(List<Charge> charges, Origin origin) {
        if (charges.isEmpty()) {
            return null;
        }
        Attempt attempt = attempt(charges);
        return attempt.wouldDraw() ? null : refused(attempt, origin, true);
    }

    /**
     * Charges what went on before it was known to whom: each zone by itself, whether or not there is anything left, so that who
     * comes with many at once owes for all of them. Nothing is occupied; a dry run owes nothing, and marks.
     *
     * @param origin what led to it, looked at only if a dry run refuses
     */
    public void owe(List<Charge> charges, Origin origin) {
        for (Charge charge : charges) {
            if (charge.dryRun()) {
                acquire(List.of(charge), origin);
            } else if (!charge.occupies()) {
                owe(charge);
            }
        }
    }

    private void owe(Charge charge) {
        Attempt attempt = attempt(List.of(charge));
        boolean drawn = attempt.draw();
        Draw draw = (drawn ? attempt.draws() : attempt.refusals()).get(0);
        if (!drawn) {
            settlement.owe(draw);
        }
        LiveZone live = zones.of(charge.zone());
        live.statistics.add(Outcome.PERMITTED, draw.tier());
        live.observer.asked(Objects.requireNonNull(charge.key()), charge.cost(), clock);
    }

    private Attempt attempt(List<Charge> charges) {
        return new Attempt(charges, zones, shared, settlement, penalties, listeners);
    }

    /** Draws more for a charge that was paid, whether or not there is any left. */
    public void charge(Draw draw, long permits) {
        settlement.charge(draw, permits);
    }

    /** Gives back permits that were drawn. */
    public void refund(Draw draw, long permits) {
        settlement.refund(draw, permits);
    }

    /** What {@link #acquire} would say to one permit for this key; spends nothing. */
    public Decision peek(Zone zone, RateLimitKey key) {
        return peek(zone, key, 1);
    }

    /**
     * What {@link #acquire} would say; spends nothing. A cost of 0 tells what the key has now, banned or not. While a shared
     * store fails it tells what stands in for it.
     */
    public Decision peek(Zone zone, RateLimitKey key, long cost) {
        Attempt attempt = attempt(List.of(new Charge(zone, key, cost, false)));
        if (cost == 0) {
            attempt.wouldDrawUnbanned();
        } else {
            attempt.look();
        }
        return Decisions.of(attempt.draws().get(0));
    }

    /**
     * The refusal of a request of which only a rest was to be paid, once it has got back the other part: its zones tell
     * how long to wait for the whole. Draws and counts nothing.
     *
     * @param refusal what was said to the rest
     * @param whole the charges in full of which a part had been paid
     */
    Ruling restated(Ruling refusal, List<Charge> whole) {
        List<Decision> decisions = new ArrayList<>(refusal.zones());
        for (Charge charge : whole) {
            decisions.replaceAll(said ->
                    isOfQuota(said) && said.zone().equals(charge.zone().name()) ? longer(said, look(charge)) : said);
        }
        Decision longest = decisions.get(0);
        for (Decision decision : decisions) {
            longest = Decisions.waitsLonger(decision, longest) ? decision : longest;
        }
        return new Ruling(longest, decisions, refusal.draws(), refusal.delay());
    }

    /** What the quota of a key says, whether or not it is banned. */
    private Decision look(Charge charge) {
        Attempt attempt = attempt(List.of(charge));
        attempt.wouldDrawUnbanned();
        return Decisions.of(attempt.draws().get(0));
    }

    private static Decision longer(Decision rest, Decision whole) {
        return !whole.permitted() && isOfQuota(whole) && !Decisions.waitsLonger(rest, whole) ? whole : rest;
    }

    private static boolean isOfQuota(Decision decision) {
        Reason reason = decision.reason();
        return reason == Reason.LIMIT || reason == Reason.SHARED || reason == Reason.COST;
    }

    /** How a key stands with a zone that bans. */
    public Standing standing(Zone zone, RateLimitKey key) {
        return penalties.standing(zone, key);
    }

    /**
     * Forgets a key: it is as if it had never drawn, and its ban is lifted. Permits of a concurrency limit that are in use
     * stay counted.
     *
     * @throws StoreUnavailableException when the zone is shared and the store gave no answer
     */
    public void forget(Zone zone, RateLimitKey key) {
        zones.of(zone).forget(zone, key);
        penalties.lift(zone, key);
        if (zone.sharing() != null) {
            shared.forget(zone.name(), key);
        }
    }

    /** How full a zone is. */
    public ZoneUsage usage(Zone zone) {
        return zones.of(zone).store.usage();
    }

    /** The counters of a zone. */
    public ZoneStatistics statistics(Zone zone) {
        return zones.of(zone).statistics;
    }

    /** How the shared store fares; {@code null} when there is none. */
    public @Nullable StoreHealth storeHealth() {
        return shared.health();
    }

    /** What is remembered of a zone. */
    public ZoneObserver observer(Zone zone) {
        return zones.of(zone).observer;
    }

    /** The counters of a rule; a rule of the same name that is written elsewhere has its own. */
    public RuleStatistics statistics(Rule rule) {
        RuleStatistics statistics = rulesInForce.get(rule);
        return statistics != null ? statistics : statisticsByName(rule);
    }

    private RuleStatistics statisticsByName(Rule rule) {
        return rules.computeIfAbsent(rule.name() + "\n" + rule.source(), name -> new RuleStatistics());
    }

    /** Takes a seat if there is anything to wait for; without one, the zones that delay refuse, and nothing is drawn. */
    private boolean seated(Attempt attempt) {
        if (attempt.delayNanos() == 0 || seats.take()) {
            return true;
        }
        attempt.unseat();
        return false;
    }

    private Ruling admitted(Attempt attempt, Origin origin) {
        List<Draw> draws = attempt.draws();
        List<Decision> decisions = new ArrayList<>(draws.size());
        @Nullable Decision strictest = null;
        for (int i = 0; i < draws.size(); i++) {
            Decision decision = counted(draws.get(i), origin, true);
            decisions.add(decision);
            if (strictest == null || Decisions.isStricter(decision, strictest)) {
                strictest = decision;
            }
        }
        long delay = attempt.delayNanos();
        return new Ruling(
                Objects.requireNonNull(strictest),
                decisions,
                draws,
                delay == 0 ? Duration.ZERO : Duration.ofNanos(delay));
    }

    private Ruling refused(Attempt attempt, Origin origin, boolean strikes) {
        List<Decision> decisions = new ArrayList<>(1);
        @Nullable Decision longest = null;
        // a draw that lost a race stopped there: zones behind it were only looked at, and are not counted
        for (Draw draw : attempt.refusals()) {
            Decision decision = counted(draw, origin, strikes);
            decisions.add(decision);
            if (longest == null || Decisions.waitsLonger(decision, longest)) {
                longest = decision;
            }
        }
        return new Ruling(Objects.requireNonNull(longest), decisions, List.of(), Duration.ZERO);
    }

    private Decision counted(Draw draw, Origin origin, boolean strikes) {
        Charge charge = draw.charge();
        Zone zone = charge.zone();
        LiveZone live = zones.of(zone);
        Decision decision = Decisions.of(draw);
        live.statistics.add(decision.outcome(), draw.tier());
        RateLimitKey key = charge.key();
        if (key != null) {
            live.observer.asked(key, charge.cost(), clock);
        }
        if (draw.refused()) {
            decision = tellRefused(live, charge, decision, origin, strikes);
        } else if (decision.outcome() == Outcome.DELAYED) {
            listeners.delayed(zone, decision.delay());
        }
        Step step = draw.step();
        if (step != null && step.foundNoRoom()) {
            live.warnOfFullness(zone, clock.millis());
        }
        return decision;
    }

    /** Tells of a refusal; what the client is told, which may have led to a ban. */
    private Decision tellRefused(LiveZone live, Charge charge, Decision decision, Origin origin, boolean strikes) {
        Instant now = clock.instant();
        Reason reason = Objects.requireNonNull(decision.reason());
        if (decision.outcome() == Outcome.REJECTED) {
            live.statistics.addRejection(reason, now);
        }
        Refusal refusal = Refusal.of(now, decision, charge.key(), origin);
        live.observer.refused(refusal);
        listeners.refused(refusal);
        Ban ban = strikes && reason == Reason.LIMIT ? penalties.strike(charge, live.statistics) : null;
        return ban == null ? decision : Decisions.leadingTo(ban, decision);
    }
}
