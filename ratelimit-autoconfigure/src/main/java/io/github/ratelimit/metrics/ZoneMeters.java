package io.github.ratelimit.metrics;

import io.github.ratelimit.Decision.Outcome;
import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.limiter.Tier;
import io.github.ratelimit.policy.Policy;
import io.github.ratelimit.policy.PolicyHolder;
import io.github.ratelimit.policy.Zone;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/** The meters of the zones in one registry. Used by one thread at a time; the meters are read by any. */
final class ZoneMeters {

    private static final Tier[] LOCAL = {Tier.LOCAL};

    private final Map<String, List<Meter>> registered = new HashMap<>();
    /** Those whose state is shared: they are decided in more than one place. */
    private final Set<String> shared = new HashSet<>();

    private final MeterRegistry registry;
    private final PolicyHolder policies;
    private final RateLimiter limiter;

    ZoneMeters(MeterRegistry registry, PolicyHolder policies, RateLimiter limiter) {
        this.registry = registry;
        this.policies = policies;
        this.limiter = limiter;
    }

    /** Meters exactly the zones of this policy; those of a zone that stays are left alone. */
    void follow(Policy policy) {
        registered.entrySet().removeIf(entry -> {
            Zone zone = policy.zones().get(entry.getKey());
            boolean gone = zone == null || (zone.sharing() != null) != shared.contains(entry.getKey());
            if (gone) {
                entry.getValue().forEach(registry::remove);
                shared.remove(entry.getKey());
            }
            return gone;
        });
        policy.zones().forEach((name, zone) -> registered.computeIfAbsent(name, absent -> register(zone)));
    }

    /** Takes all meters out of the registry. */
    void clear() {
        registered.values().forEach(meters -> meters.forEach(registry::remove));
        registered.clear();
        shared.clear();
    }

    private List<Meter> register(Zone each) {
        String zone = each.name();
        List<Meter> meters = new ArrayList<>();
        for (Outcome outcome : Outcome.values()) {
            for (Tier tier : each.sharing() == null ? LOCAL : Tier.values()) {
                meters.add(decisions(zone, outcome, tier));
            }
        }
        if (each.sharing() != null) {
            shared.add(zone);
        }
        meters.add(gauge(
                "ratelimit.zone.keys",
                zone,
                "Keys that the zone holds",
                it -> limiter.usage(it).keys()));
        meters.add(gauge(
                "ratelimit.zone.max.keys",
                zone,
                "The most keys that the zone holds",
                it -> limiter.usage(it).maxKeys()));
        meters.add(shared(zone));
        return meters;
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

    private Meter gauge(String name, String zone, String description, ToDoubleFunction<Zone> value) {
        return Gauge.builder(name, this, it -> it.read(zone, value))
                .description(description)
                .baseUnit("keys")
                .tag("zone", zone)
                .register(registry);
    }

    /** Has no base unit: Prometheus would make it part of the name. */
    private Meter shared(String zone) {
        return FunctionCounter.builder(
                        "ratelimit.zone.shared",
                        this,
                        it -> it.read(zone, live -> limiter.usage(live).shared()))
                .description("Decisions made in buckets that newcomers share because the zone is full")
                .tag("zone", zone)
                .register(registry);
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
