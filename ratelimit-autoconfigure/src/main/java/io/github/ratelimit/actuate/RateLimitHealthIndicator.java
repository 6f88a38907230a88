package io.github.ratelimit.actuate;

import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.policy.PolicyHolder;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.store.StoreHealth;
import io.github.ratelimit.store.ZoneUsage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Tells how full the zones are and whether the shared store answers. An application whose limits are under pressure still
 * works, so that is a warning; it turns the status only where that was asked for.
 */
public final class RateLimitHealthIndicator extends AbstractHealthIndicator {

    private final PolicyHolder policies;
    private final RateLimiter limiter;
    private final boolean strict;

    /**
     * A health indicator.
     *
     * @param policies tells which zones there are
     * @param limiter knows how full they are
     * @param strict whether a warning turns the status to {@code DOWN}
     */
    public RateLimitHealthIndicator(PolicyHolder policies, RateLimiter limiter, boolean strict) {
        super("The rate limiter could not be asked");
        this.policies = policies;
        this.limiter = limiter;
        this.strict = strict;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        List<String> warnings = new ArrayList<>();
        Map<String, Object> zones = new LinkedHashMap<>();
        for (Zone zone : policies.get().zones().values()) {
            ZoneUsage usage = limiter.usage(zone);
            zones.put(zone.name(), describe(usage));
            if (usage.full()) {
                warnings.add("Zone '" + zone.name() + "' is full: it holds " + usage.keys() + " keys, and newcomers "
                        + (zone.whenFull() == Zone.WhenFull.SHARE ? "share buckets" : "are refused"));
            }
        }
        builder.up().withDetail("zones", zones);
        StoreHealth redis = limiter.storeHealth();
        if (redis != null) {
            builder.withDetail("redis", Map.of("state", redis.state().name(), "failures", redis.failures()));
            if (redis.state() != StoreHealth.State.UP) {
                warnings.add("Redis is not asked, because it failed: the zones that it keeps do what their"
                        + " on-store-failure says");
            }
        }
        if (!warnings.isEmpty()) {
            builder.withDetail("warnings", List.copyOf(warnings));
        }
        if (strict && !warnings.isEmpty()) {
            builder.down();
        }
    }

    private static Map<String, Object> describe(ZoneUsage usage) {
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("keys", usage.keys());
        description.put("maxKeys", usage.maxKeys());
        description.put("usage", usage.ratio());
        description.put("full", usage.full());
        return description;
    }
}
