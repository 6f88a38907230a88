package io.github.ratelimit.store.redis;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.LeakyBucket;
import io.github.ratelimit.algorithm.TokenBucket;
import org.jspecify.annotations.Nullable;

/** What Redis can count: its numbers are doubles. Needs neither Redis nor a library for it. */
public final class RedisLimits {

    private RedisLimits() {}

    /** Why a limit cannot be counted, as a sentence that follows the name of its burst; {@code null} when it can. */
    public static @Nullable String tooMuch(Algorithm algorithm) {
        if (algorithm instanceof TokenBucket bucket) {
            return tooMuch(BucketScale.of(bucket.rate()), bucket.limit());
        }
        return algorithm instanceof LeakyBucket bucket ? tooMuch(BucketScale.of(bucket.rate()), bucket.limit()) : null;
    }

    private static @Nullable String tooMuch(BucketScale scale, long burst) {
        return burst > scale.maxBurst()
                ? "is " + burst + ", more than can be counted in Redis; write at most " + scale.maxBurst()
                : null;
    }
}
