package io.github.ratelimit.store.redis;

import java.time.Duration;

/**
 * How the store uses Redis.
 *
 * @param keyPrefix begin of every key; keeps applications apart
 * @param timeout the whole budget of one decision
 */
public record RedisSettings(String keyPrefix, Duration timeout) {

    /** Checks the budget. */
    public RedisSettings {
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("is not above zero; write how long a decision may take, such as 100ms");
        }
    }
}
