package io.github.ratelimit.metrics;

import io.github.ratelimit.Decision.Outcome;
import io.github.ratelimit.algorithm.LeakyBucket;
import io.github.ratelimit.limiter.LimiterListener;
import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.limiter.Tier;
import io.github.ratelimit.policy.Policy;
import io.github.ratelimit.policy.PolicyHolder;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.store.StoreUnavailableException.Kind;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The meters of the zones in one registry. Follows the policy on one thread at a time; hears of delays and trips, and is read,
 * on any.
 */
final class ZoneMeters implements LimiterListener {

    private static final String OK = "ok";

    private final Map<String, Map<String, Meter>> registered = new HashMap<>();
    private final Map<String, Timer> delays = new ConcurrentHashMap<>();
    private final Map<String, Timer> trips = new ConcurrentHashMap<>();
    private final MeterRegistry registry;
    private final PolicyHolder policies;
    private final RateLimiter limiter;

    ZoneMeters(MeterRegistry registry, PolicyHolder policies, RateLimiter limiter) {
        this.registry = registry;
        this.policies = policies;
        this.limiter = limiter;
    }

    /** Meters exactly the zones of this policy; those of a zone that stays are left alone, even where it needs less. */
    void follow(Policy policy) {
        registered.entrySet().removeIf(entry -> {
            Zone zone = policy.zones().get(entry.getKey());
            // a zone that is shared, and only that, is decided in other places too
            boolean wasShared = entry.getValue().containsKey(decisions(Tier.REDIS, Outcome.PERMITTED));
            boolean gone = zone == null || (zone.sharing() != null) != wasShared;
            if (gone) {
                delays.remove(entry.getKey());
                entry.getValue().values().forEach(registry::remove);
            }
            return gone;
        });
        policy.zones().values().forEach(this::register);
    }

    /** Takes all meters out of the registry. */
    void clear() {
        registered.values().forEach(meters -> meters.values().forEach(registry::remove));
        registered.clear();
        delays.clear();
        trips.values().forEach(registry::remove);
        trips.clear();
    }

    @Override
    public void delayed(Zone zone, Duration delay) {
        Timer timer = delays.get(zone.name());
        if (timer != null) {
            timer.record(delay);
        }
    }

    @Override
    public void asked(@Nullable Kind failure, long nanos) {
        trip(failure == null ? OK : lowerCase(failure)).record(nanos, TimeUnit.NANOSECONDS);
    }

    private void register(Zone zone) {
        String name = zone.name();
        Map<String, Meter> meters = registered.computeIfAbsent(name, absent -> new LinkedHashMap<>());
        Set<Tier> tiers = zone.sharing() == null ? EnumSet.of(Tier.LOCAL) : EnumSet.allOf(Tier.class);
        for (Tier tier : tiers) {
            for (Outcome outcome : Outcome.values()) {
                add(meters, decisions(tier, outcome), () -> decisions(name, outcome, tier));
            }
        }
        add(meters, "keys", () -> keys(name));
        add(meters, "max keys", () -> maxKeys(name));
        add(meters, "shared", () -> shared(name));
        if (zone.penalty() != null) {
            add(meters, "bans", () -> bans(name));
        }
        if (zone.algorithm() instanceof LeakyBucket) {
            add(meters, "delay", () -> delay(name));
        }
        if (zone.sharing() != null) {
            trip(OK);
        }
    }

    private static void add(Map<String, Meter> meters, String kind, Supplier<Meter> meter) {
        meters.computeIfAbsent(kind, absent -> meter.get());
    }

    private static String decisions(Tier tier, Outcome outcome) {
        return tier + " " + outcome;
    }

    private Meter decisions(String zone, Outcome outcome, Tier tier) {
        return FunctionCounter.builder(
                        "ratelimit.decisions",
                        this,
                        it -> it.read(zone, live -> limiter.statistics(live).count(outcome, tier)))
                .description("Decisions on draws, by what became of them and by the store that decided")
                .baseUnit("decisions")
                .tags("zone", zone, "outcome", lowerCase(outcome), "tier", lowerCase(tier))
                .register(registry);
    }

    private Meter keys(String zone) {
        return gauge(
                "ratelimit.zone.keys",
                zone,
                "Keys that the zone holds",
                it -> limiter.usage(it).keys());
    }

    private Meter maxKeys(String zone) {
        return gauge(
                "ratelimit.zone.max.keys",
                zone,
                "The most keys that the zone holds",
                it -> limiter.usage(it).maxKeys());
    }

    private Meter gauge(String name, String zone, String description, ToDoubleFunction<Zone> value) {
        return Gauge.builder(name, this, it -> it.read(zone, value))
                .description(description)
                .baseUnit("keys")
                .tag("zone", zone)
                .register(registry);
    }

    private Meter shared(String zone) {
        return counter(
                "ratelimit.zone.shared",
                zone,
                "Decisions made in buckets that newcomers share because the zone is full",
                it -> limiter.usage(it).shared());
    }

    private Meter bans(String zone) {
        return counter(
                "ratelimit.bans",
                zone,
                "Bans that this instance has imposed",
                it -> limiter.statistics(it).bans());
    }

    /** Has no base unit: Prometheus would make it part of the name. */
    private Meter counter(String name, String zone, String description, ToDoubleFunction<Zone> value) {
        return FunctionCounter.builder(name, this, it -> it.read(zone, value))
                .description(description)
                .tag("zone", zone)
                .register(registry);
    }

    private Meter delay(String zone) {
        Timer timer = Timer.builder("ratelimit.delay")
                .description("How long admitted requests have to wait")
                .tag("zone", zone)
                .register(registry);
        delays.put(zone, timer);
        return timer;
    }

    private Timer trip(String result) {
        Timer timer = trips.get(result);
        return timer != null
                ? timer
                : trips.computeIfAbsent(
                        result,
                        absent -> Timer.builder("ratelimit.store")
                                .description("Trips to the shared store to draw, by how they ended")
                                .tags("store", "redis", "result", result)
                                .register(registry));
    }

    /** Looks the zone up each time: its configuration may have changed, or it may have gone a moment ago. */
    private double read(String name, ToDoubleFunction<Zone> value) {
        Zone zone = policies.get().zones().get(name);
        return zone == null ? 0 : value.applyAsDouble(zone);
    }

    private static String lowerCase(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
