package io.github.ratelimit.actuate;

import io.github.ratelimit.actuate.LimitsDescriptor.RuleDescriptor;
import io.github.ratelimit.actuate.LimitsDescriptor.StoreDescriptor;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.policy.Policy;
import io.github.ratelimit.policy.PolicyHolder;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.store.StoreMonitor;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * Shows zones, rules and keys to an operator. Reads the policy in force and the counters; spends nothing, and lists no
 * keys of a shared store.
 *
 * <p>Over the web, {@link RateLimitEndpointWebExtension} answers in its place. Safe for use by many threads.
 */
@Endpoint(id = "ratelimit", defaultAccess = Access.READ_ONLY)
public final class RateLimitEndpoint {

    private final PolicyHolder policies;
    private final RateLimiter limiter;
    private final KeyMask mask;
    private final @Nullable StoreMonitor shared;

    /** An endpoint where nothing is shared. */
    public RateLimitEndpoint(PolicyHolder policies, RateLimiter limiter, KeyMask mask) {
        this(policies, limiter, mask, null);
    }

    /**
     * An endpoint.
     *
     * @param policies tells what is in force
     * @param limiter knows what became of it
     * @param mask decides who reads keys in full
     * @param shared tells how the store of shared zones does, {@code null} when there is none
     */
    public RateLimitEndpoint(PolicyHolder policies, RateLimiter limiter, KeyMask mask, @Nullable StoreMonitor shared) {
        this.policies = policies;
        this.limiter = limiter;
        this.mask = mask;
        this.shared = shared;
    }

    /** All zones and rules. */
    @ReadOperation
    public LimitsDescriptor limits() {
        Policy policy = policies.get();
        Map<String, ZoneDescriptor> zones = new LinkedHashMap<>();
        policy.zones().forEach((name, zone) -> zones.put(name, describe(zone)));
        List<RuleDescriptor> rules = policy.rules().stream()
                .map(rule -> RuleDescriptor.of(rule, limiter.statistics(rule)))
                .toList();
        return new LimitsDescriptor(
                policy.dryRun(), zones, rules, StoreDescriptor.of(shared == null ? null : shared.status()));
    }

    /** One zone; {@code null} when there is none of this name. */
    @ReadOperation
    public @Nullable ZoneDescriptor zone(@Selector String zone) {
        Zone found = policies.get().zones().get(zone);
        return found == null ? null : describe(found);
    }

    /**
     * One key of a zone, whether or not it has ever drawn.
     *
     * @param key the value as a client sends it; the parts of a composite key are joined by {@code |}
     * @return {@code null} when there is no zone of this name
     * @throws InvalidEndpointRequestException when no request can have this key
     */
    @ReadOperation
    public @Nullable KeyDescriptor key(@Selector String zone, @Selector String key) {
        return key(zone, key, SecurityContext.NONE);
    }

    @Nullable
    KeyDescriptor key(String zone, String raw, SecurityContext reader) {
        Zone found = policies.get().zones().get(zone);
        if (found == null) {
            return null;
        }
        RateLimitKey key = key(found, raw);
        return KeyDescriptor.of(mask.shown(key, reader), limiter.peek(found, key, 0), limiter.peek(found, key));
    }

    /** Of the keys that the value may mean the one that has drawn most. */
    private RateLimitKey key(Zone zone, String raw) {
        try {
            return zone.key().candidates(raw).stream()
                    .min(Comparator.comparingLong(
                            key -> limiter.peek(zone, key, 0).remaining()))
                    .orElseThrow();
        } catch (IllegalArgumentException e) {
            String reason = "No request has this key in zone '" + zone.name() + "': " + e.getMessage();
            throw new InvalidEndpointRequestException(reason, reason, e);
        }
    }

    private ZoneDescriptor describe(Zone zone) {
        return ZoneDescriptor.of(zone, limiter.usage(zone), limiter.statistics(zone));
    }
}
