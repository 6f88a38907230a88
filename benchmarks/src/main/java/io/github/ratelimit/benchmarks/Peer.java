package io.github.ratelimit.benchmarks;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.common.util.concurrent.RateLimiter;
import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.Bucket;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.algorithm.TokenBucket;
import io.github.ratelimit.key.IpAddress;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.store.local.LocalStore;
import io.github.ratelimit.store.local.LocalZone;
import io.github.ratelimit.store.local.Ticker;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;

/** One way to keep a limit per key in this JVM; all are so ample that every draw is admitted. */
public interface Peer {

    /**
     * Draws one permit.
     *
     * @param answer a place for the answer of who can use one
     */
    boolean draw(Object key, Step answer);

    /** Makes a key known, so that it stays. */
    default void meet(Object key) {
        draw(key, new Step());
    }

    /** The key of an IPv4 address, as this one would hold it. */
    default Object key(int address) {
        return (address >>> 24) + "." + (address >>> 16 & 0xff) + "." + (address >>> 8 & 0xff) + "." + (address & 0xff);
    }

    /** How it is called in results. */
    enum Name {
        /** This project. */
        RATELIMIT,
        /** The floor: a look-up, a reading of the clock, one compare-and-set. Nothing ever leaves. */
        MAP,
        /** The same in a Caffeine cache from which idle keys leave. */
        CAFFEINE,
        /** bucket4j in a Caffeine cache from which idle keys leave. */
        BUCKET4J,
        /** Resilience4j's registry. Nothing ever leaves. */
        RESILIENCE4J,
        /** Guava's RateLimiter in a Caffeine cache from which idle keys leave. */
        GUAVA
    }

    /** A peer, empty. */
    static Peer of(Name name) {
        return switch (name) {
            case RATELIMIT -> new Ours();
            case MAP -> new InMap();
            case CAFFEINE -> new InCaffeine();
            case BUCKET4J -> new Bucket4j();
            case RESILIENCE4J -> new Resilience4j();
            case GUAVA -> new Guava();
        };
    }

    /** A zone. */
    final class Ours implements Peer {

        private final Algorithm limit = TokenBucket.of(Rate.parse("1000000/s"), 1_000_000_000_000L);
        private final LocalZone zone = new LocalStore(Ticker.system()).zone("benchmark", 2_000_000, true);

        @Override
        public boolean draw(Object key, Step answer) {
            return zone.acquire((RateLimitKey) key, limit, 1, answer).admitted();
        }

        @Override
        public void meet(Object key) {
            // a bucket that is full again would leave
            zone.acquire((RateLimitKey) key, limit, 100_000_000_000L);
        }

        @Override
        public Object key(int address) {
            return RateLimitKey.ofAddress(IpAddress.of(0, 0xffff_0000_0000L | (address & 0xffff_ffffL)));
        }
    }

    /** A map of counters. */
    final class InMap implements Peer {

        private final ConcurrentMap<Object, AtomicLong> states = new ConcurrentHashMap<>();

        @Override
        public boolean draw(Object key, Step answer) {
            return moved(states.computeIfAbsent(key, absent -> new AtomicLong()));
        }

        static boolean moved(AtomicLong state) {
            while (true) {
                long now = System.nanoTime();
                long seen = state.get();
                if (state.compareAndSet(seen, Math.max(seen, now) + 1)) {
                    return true;
                }
            }
        }
    }

    /** A cache of counters. */
    final class InCaffeine implements Peer {

        private final Cache<Object, AtomicLong> states =
                Caffeine.newBuilder().expireAfterAccess(Duration.ofHours(1)).build();

        @Override
        public boolean draw(Object key, Step answer) {
            return InMap.moved(states.get(key, absent -> new AtomicLong()));
        }
    }

    /** Buckets in a cache. */
    final class Bucket4j implements Peer {

        private final Bandwidth limit = Bandwidth.builder()
                .capacity(1_000_000_000_000L)
                .refillGreedy(1_000_000, Duration.ofSeconds(1))
                .build();
        private final Cache<Object, Bucket> buckets =
                Caffeine.newBuilder().expireAfterAccess(Duration.ofHours(1)).build();

        @Override
        public boolean draw(Object key, Step answer) {
            return buckets.get(key, absent -> Bucket.builder().addLimit(limit).build())
                    .tryConsume(1);
        }
    }

    /** A registry. */
    final class Resilience4j implements Peer {

        private final RateLimiterRegistry registry = RateLimiterRegistry.of(RateLimiterConfig.custom()
                .limitForPeriod(1_000_000_000)
                .limitRefreshPeriod(Duration.ofSeconds(1))
                .timeoutDuration(Duration.ZERO)
                .build());

        @Override
        public boolean draw(Object key, Step answer) {
            return registry.rateLimiter((String) key).acquirePermission();
        }
    }

    /** Limiters in a cache. */
    final class Guava implements Peer {

        private final Cache<Object, RateLimiter> limiters =
                Caffeine.newBuilder().expireAfterAccess(Duration.ofHours(1)).build();

        @Override
        public boolean draw(Object key, Step answer) {
            return limiters.get(key, absent -> RateLimiter.create(1e9)).tryAcquire();
        }
    }
}
