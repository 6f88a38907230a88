package io.github.ratelimit.limiter;

import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.policy.Zone;
import org.jspecify.annotations.Nullable;

/**
 * One zone's part of a request: who pays how much to whom.
 *
 * @param zone the zone
 * @param key who is counted; {@code null} when the request has no key and the zone says to refuse it
 * @param cost permits, at least 1
 * @param dryRun whether a refusal only counts and marks
 */
public record Charge(Zone zone, @Nullable RateLimitKey key, long cost, boolean dryRun) {}
