package io.github.ratelimit.actuate;

import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.policy.Zone;
import java.util.List;

/** Knows the keys that a zone has from annotations and not from its own resolvers. Safe for use by many threads. */
@FunctionalInterface
public interface AnnotatedKeys {

    /** No annotation charges any zone. */
    AnnotatedKeys NONE = (zone, raw) -> List.of();

    /**
     * The keys that a value may mean where an annotation charges the zone.
     *
     * @param raw the value as a person writes it
     * @return none when no annotation charges the zone
     */
    List<RateLimitKey> candidates(Zone zone, String raw);
}
