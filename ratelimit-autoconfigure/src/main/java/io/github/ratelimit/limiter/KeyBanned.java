package io.github.ratelimit.limiter;

import io.github.ratelimit.key.RateLimitKey;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A key was banned from a zone. Published once for each ban as an application event, on the thread of the request that led to
 * it, by the instance that imposed it: whoever listens should not wait.
 *
 * <pre>{@code
 * @EventListener
 * void banned(KeyBanned ban) { ... }
 * }</pre>
 *
 * @param zone the zone's name
 * @param key who is banned; {@code toString()} is the address or text, or the digest of a secret
 * @param at since when
 * @param duration for how long; {@code null} until somebody lifts it
 * @param number which of the key's bans it is, from 1
 * @param dryRun whether requests of the key go on all the same, as only dry runs led to it
 */
public record KeyBanned(
        String zone, RateLimitKey key, Instant at, @Nullable Duration duration, int number, boolean dryRun) {}
