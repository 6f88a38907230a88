package io.github.ratelimit.autoconfigure;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How the health contributor judges.
 *
 * @param enabled Whether to show the health of the rate limiter.
 * @param strict Whether a full zone, or a Redis that is not asked because it failed, turns the status to DOWN.
 */
@ConfigurationProperties("management.health.ratelimit")
record RateLimitHealthProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("false") boolean strict) {}
