package io.github.ratelimit.policy;

import io.github.ratelimit.key.RateLimitKey;
import org.jspecify.annotations.Nullable;

/** What certain keys of a zone are granted in place of its own limit. Safe for use by many threads. */
@FunctionalInterface
public interface KeyedAllowances {

    /** No key is granted anything of its own. */
    KeyedAllowances NONE = key -> null;

    /** What this key is granted; {@code null} when it has the zone's own limit. Called for each request. */
    @Nullable
    Allowance find(RateLimitKey key);
}
