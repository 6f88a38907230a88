package io.github.ratelimit.store.local;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Concurrency;
import io.github.ratelimit.algorithm.FixedWindow;
import io.github.ratelimit.algorithm.LeakyBucket;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.algorithm.Reference;
import io.github.ratelimit.algorithm.ReferenceBucket;
import io.github.ratelimit.algorithm.ReferenceQueue;
import io.github.ratelimit.algorithm.ReferenceSlots;
import io.github.ratelimit.algorithm.ReferenceWindows;
import io.github.ratelimit.algorithm.SlidingWindow;
import io.github.ratelimit.algorithm.TokenBucket;
import java.util.Random;

/** The kinds of limit. */
enum Kind {
    TOKEN_BUCKET,
    LEAKY_BUCKET,
    FIXED_WINDOW,
    SLIDING_WINDOW,
    CONCURRENCY;

    private static final String[] RATES = {
        "1/d", "7/3s", "2/300ms", "0.5/s", "1000000/s", "2000000000/d", "999983/s", "31/1.000001s", "32/1.000001s"
    };

    /** A limit and a plain model of it. */
    record Life(Algorithm algorithm, Reference reference) {}

    /** So many permits per period, all of them at once. */
    Algorithm limit(String rate, long permits) {
        Rate read = Rate.parse(rate);
        return switch (this) {
            case TOKEN_BUCKET -> TokenBucket.of(read, permits);
            case LEAKY_BUCKET -> LeakyBucket.of(read, permits - 1, LeakyBucket.NO_DELAY);
            case FIXED_WINDOW -> FixedWindow.of(read);
            case SLIDING_WINDOW -> SlidingWindow.of(read);
            case CONCURRENCY -> new Concurrency(permits);
        };
    }

    /** Any limit of this kind. */
    Life life(Random random) {
        Rate rate = rate(random);
        long burst = 1 + random.nextInt(random.nextBoolean() ? 5 : 1_000);
        return switch (this) {
            case TOKEN_BUCKET -> new Life(TokenBucket.of(rate, burst), new ReferenceBucket(rate, burst));
            case LEAKY_BUCKET -> {
                long delayAfter = random.nextInt(3) == 0 ? LeakyBucket.NO_DELAY : random.nextLong(burst + 1);
                yield new Life(
                        LeakyBucket.of(rate, burst - 1, delayAfter), new ReferenceQueue(rate, burst - 1, delayAfter));
            }
            case FIXED_WINDOW -> {
                FixedWindow windows = FixedWindow.of(rate);
                yield new Life(windows, new ReferenceWindows(windows.limit(), windows.periodNanos(), false));
            }
            case SLIDING_WINDOW -> {
                SlidingWindow windows = SlidingWindow.of(rate);
                yield new Life(windows, new ReferenceWindows(windows.limit(), windows.periodNanos(), true));
            }
            case CONCURRENCY -> new Life(new Concurrency(burst), new ReferenceSlots(burst));
        };
    }

    private static Rate rate(Random random) {
        int choice = random.nextInt(2 * RATES.length);
        if (choice < RATES.length) {
            return Rate.parse(RATES[choice]);
        }
        long permits = 1 + random.nextInt(random.nextBoolean() ? 64 : 100_000);
        return Rate.parse(permits + "/" + (1 + random.nextInt(1_000)) + (random.nextBoolean() ? "s" : "m"));
    }
}
