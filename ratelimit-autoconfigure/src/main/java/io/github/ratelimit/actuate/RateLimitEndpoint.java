package io.github.ratelimit.actuate;

import io.github.ratelimit.Decision;
import io.github.ratelimit.actuate.LimitsDescriptor.RuleDescriptor;
import io.github.ratelimit.actuate.LimitsDescriptor.StoreDescriptor;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.policy.InvalidPolicyException;
import io.github.ratelimit.policy.Policy;
import io.github.ratelimit.policy.PolicyHolder;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.store.ZoneChange;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * Shows zones, rules and keys to an operator, and lets him change and release them where writing is allowed. Showing reads
 * the policy in force and the counters; it spends nothing, and lists no keys of a shared store.
 *
 * <p>Over the web, {@link RateLimitEndpointWebExtension} answers in its place. Safe for use by many threads.
 */
@Endpoint(id = "ratelimit", defaultAccess = Access.READ_ONLY)
public final class RateLimitEndpoint {

    private final PolicyHolder policies;
    private final RateLimiter limiter;
    private final KeyMask mask;
    private final ZoneChanger changer;
    private final AnnotatedKeys annotated;
    private final InstantSource clock;

    /**
     * An endpoint.
     *
     * @param policies tells what is in force
     * @param limiter knows what became of it
     * @param mask decides who reads keys in full
     * @param changer changes zones
     * @param annotated knows the keys that annotations give to zones
     */
    public RateLimitEndpoint(
            PolicyHolder policies, RateLimiter limiter, KeyMask mask, ZoneChanger changer, AnnotatedKeys annotated) {
        this(policies, limiter, mask, changer, annotated, InstantSource.system());
    }

    RateLimitEndpoint(
            PolicyHolder policies,
            RateLimiter limiter,
            KeyMask mask,
            ZoneChanger changer,
            AnnotatedKeys annotated,
            InstantSource clock) {
        this.policies = policies;
        this.limiter = limiter;
        this.mask = mask;
        this.changer = changer;
        this.annotated = annotated;
        this.clock = clock;
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
        return new LimitsDescriptor(policy.dryRun(), zones, rules, StoreDescriptor.of(limiter.storeHealth()));
    }

    /** One zone and what is remembered of it; {@code null} when there is none of this name. */
    @ReadOperation
    public @Nullable ZoneDescriptor zone(@Selector String zone) {
        return zone(zone, SecurityContext.NONE);
    }

    @Nullable
    ZoneDescriptor zone(String zone, SecurityContext reader) {
        Zone found = policies.get().zones().get(zone);
        return found == null ? null : describe(found).with(limiter.observer(found), key -> mask.shown(key, reader));
    }

    /**
     * One key of a zone, whether or not it has ever drawn.
     *
     * @param key the value as a client sends it, or as the expression of an annotation gives it; the parts of a composite
     *     key are joined by {@code |}
     * @return {@code null} when there is no zone of this name
     * @throws InvalidEndpointRequestException when no request can have this key
     */
    @ReadOperation
    public @Nullable KeyDescriptor key(@Selector String zone, @Selector String key) {
        return key(zone, key, SecurityContext.NONE);
    }

    /**
     * Changes a zone, at once and until it is {@link #reset}: what is not named stays as it is. Keys keep their state.
     *
     * @param burst a whole number, as are {@code maxConcurrent} and {@code maxKeys}
     * @param dryRun {@code true} or {@code false}
     * @return the changed zone, {@code null} when there is none of this name
     * @throws InvalidEndpointRequestException with everything that is wrong; nothing has changed then
     */
    @WriteOperation
    public @Nullable ZoneDescriptor change(
            @Selector String zone,
            @Nullable String rate,
            @Nullable String burst,
            @Nullable String maxConcurrent,
            @Nullable String maxKeys,
            @Nullable String dryRun) {
        if (!isKnown(zone)) {
            return null;
        }
        ZoneChange change = WrittenChange.read(rate, burst, maxConcurrent, maxKeys, dryRun);
        try {
            changer.change(zone, change);
        } catch (InvalidPolicyException e) {
            throw WrittenChange.refused(e.faults());
        }
        return zone(zone);
    }

    /**
     * Takes back all changes of a zone: what is configured is in force again. Keys keep their state.
     *
     * @return whether there is a zone of this name
     */
    @DeleteOperation
    public boolean reset(@Selector String zone) {
        if (!isKnown(zone)) {
            return false;
        }
        try {
            changer.reset(zone);
        } catch (InvalidPolicyException e) {
            throw WrittenChange.refused(e.faults());
        }
        return true;
    }

    /**
     * Forgets what a key has drawn.
     *
     * @param key as for {@link #key}
     * @return whether there is a zone of this name
     * @throws InvalidEndpointRequestException when no request can have this key
     */
    @DeleteOperation
    public boolean forget(@Selector String zone, @Selector String key) {
        Zone found = policies.get().zones().get(zone);
        if (found == null) {
            return false;
        }
        candidates(found, key).forEach(candidate -> limiter.forget(found, candidate));
        return true;
    }

    private boolean isKnown(String zone) {
        return policies.get().zones().containsKey(zone);
    }

    @Nullable
    KeyDescriptor key(String zone, String raw, SecurityContext reader) {
        Zone found = policies.get().zones().get(zone);
        if (found == null) {
            return null;
        }
        RateLimitKey key = key(found, raw);
        return KeyDescriptor.of(
                mask.shown(key, reader),
                limiter.peek(found, key, 0),
                limiter.peek(found, key),
                limiter.standing(found, key),
                clock.instant());
    }

    /** Of the keys that the value may mean one that is banned, else the one that has drawn most, else the zone's own. */
    private RateLimitKey key(Zone zone, String raw) {
        return candidates(zone, raw).stream()
                .min(Comparator.<RateLimitKey, Boolean>comparing(
                                key -> limiter.standing(zone, key).ban() == null)
                        .thenComparingLong(key -> left(limiter.peek(zone, key, 0))))
                .orElseThrow();
    }

    /** What is missing from the quota of a key, below zero: keys may have different limits. */
    private static long left(Decision now) {
        return now.remaining() - now.limit();
    }

    private List<RateLimitKey> candidates(Zone zone, String raw) {
        Set<RateLimitKey> candidates = new LinkedHashSet<>();
        List<RateLimitKey> byAnnotation = annotated.candidates(zone, raw);
        try {
            candidates.addAll(zone.key().candidates(raw));
        } catch (IllegalArgumentException e) {
            if (byAnnotation.isEmpty()) {
                throw nobodyHas(zone, e);
            }
        }
        candidates.addAll(byAnnotation);
        return List.copyOf(candidates);
    }

    private static InvalidEndpointRequestException nobodyHas(Zone zone, IllegalArgumentException e) {
        String reason = "No request has this key in zone '" + zone.name() + "': " + e.getMessage();
        return new InvalidEndpointRequestException(reason, reason, e);
    }

    private ZoneDescriptor describe(Zone zone) {
        return ZoneDescriptor.of(zone, limiter.usage(zone), limiter.statistics(zone));
    }
}
