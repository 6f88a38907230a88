package io.github.ratelimit.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Random timelines, replayed from their seed, against {@link ReferenceBucket}. */
class ReferenceModelTests {

    private static final long DAY = TimeUnit.DAYS.toNanos(1);
    private static final String[] RATES = {
        "1/d", "7/3s", "2/300ms", "0.5/s", "1000000/s", "2000000000/d", "999983/s", "64/1.000001s", "65/1.000001s"
    };
    private static final long[] STARTS = {0, -DAY, 4 * 366 * DAY, Long.MAX_VALUE / 7 - DAY, Long.MAX_VALUE / 64 - DAY};

    @Test
    void acquireWhenTimelineIsRandomThenAgreesWithReference() {
        for (int seed = 0; seed < 10_000; seed++) {
            Random random = new Random(seed);
            Rate rate = rate(random);
            long burst = 1 + random.nextInt(random.nextBoolean() ? 5 : 1000);
            TokenBucket algorithm = TokenBucket.of(rate, burst);
            long now = STARTS[random.nextInt(STARTS.length)];
            // counts on where the long of the clock wraps around
            long at = 0;
            Bucket bucket = new Bucket(algorithm, now);
            ReferenceBucket reference = new ReferenceBucket(rate, burst);
            long retry = 0;
            for (int i = 0; i < 40; i++) {
                long passed = passed(random, algorithm, retry);
                now += passed;
                at += passed;
                long cost =
                        random.nextInt(8) == 0 ? random.nextLong(burst + 2) : 1 + random.nextLong(Math.min(burst, 3));
                Step step = bucket.acquire(cost, now);
                assertThat(step)
                        .as("seed %d, step %d, %s, burst %d, cost %d", seed, i, rate, burst, cost)
                        .isEqualTo(reference.acquire(cost, at));
                retry = step.retryNanos();
            }
        }
    }

    @Test
    void acquireWhenWaitedExactlyRetryThenIsAdmittedAndNotANanosecondEarlier() {
        for (int seed = 0; seed < 1_000; seed++) {
            Random random = new Random(seed);
            Rate rate = rate(random);
            long burst = 1 + random.nextInt(50);
            long now = random.nextLong(DAY);
            Bucket bucket = new Bucket(TokenBucket.of(rate, burst), now);
            long cost = 1 + random.nextLong(burst);
            Step step = bucket.acquire(cost, now);
            while (step.admitted()) {
                step = bucket.acquire(cost, now);
            }
            String life = "seed %d, %s, burst %d, cost %d".formatted(seed, rate, burst, cost);
            assertThat(bucket.acquire(cost, now + step.retryNanos() - 1).admitted())
                    .as(life)
                    .isFalse();
            assertThat(bucket.acquire(cost, now + step.retryNanos()).admitted())
                    .as(life)
                    .isTrue();
        }
    }

    @Test
    void acquireWhenWaitedRoundedUpSecondsThenIsAdmitted() {
        for (int seed = 0; seed < 1_000; seed++) {
            Random random = new Random(seed);
            long now = random.nextLong(DAY);
            Bucket bucket = new Bucket(TokenBucket.of(Rate.parse("3/7s"), 3), now);
            while (bucket.acquire(1, now).admitted()) {
                now += random.nextLong(1_000_000_000);
            }
            long seconds = (bucket.acquire(1, now).retryNanos() + 999_999_999) / 1_000_000_000;
            assertThat(seconds).isBetween(1L, 7L);
            assertThat(bucket.acquire(1, now + seconds * 1_000_000_000).admitted())
                    .isTrue();
        }
    }

    @Test
    void acquireWhenDrawnForLongThenKeepsRateWithinAThousandth() {
        for (String text : RATES) {
            Rate rate = Rate.parse(text);
            Bucket bucket = new Bucket(TokenBucket.of(rate, 1), 0);
            long now = 0;
            for (int i = 0; i < 10_000; i++) {
                assertThat(bucket.acquire(1, now).admitted()).isTrue();
                now += bucket.acquire(1, now).retryNanos();
            }
            BigInteger ideal = BigInteger.valueOf(rate.periodNanos())
                    .multiply(BigInteger.valueOf(10_000))
                    .divide(BigInteger.valueOf(rate.permits()));
            // a caller that waits whole nanoseconds loses up to one of them each time
            assertThat(BigInteger.valueOf(now))
                    .as(text)
                    .isBetween(
                            ideal.subtract(ideal.divide(BigInteger.valueOf(1000))),
                            ideal.add(BigInteger.valueOf(10_000)));
        }
    }

    private static Rate rate(Random random) {
        int choice = random.nextInt(2 * RATES.length);
        if (choice < RATES.length) {
            return Rate.parse(RATES[choice]);
        }
        long permits = 1 + random.nextInt(random.nextBoolean() ? 64 : 100_000);
        return Rate.parse(permits + "/" + (1 + random.nextInt(1000)) + (random.nextBoolean() ? "s" : "m"));
    }

    private static long passed(Random random, TokenBucket algorithm, long retry) {
        long interval = Math.max(2, algorithm.fillNanos() / algorithm.limit());
        return switch (random.nextInt(8)) {
            case 0, 1, 2 -> 0;
            case 3 -> random.nextLong(interval);
            case 4 -> random.nextLong(3 * interval);
            case 5 -> retry == Step.NEVER ? 1 : retry;
            case 6 -> retry == Step.NEVER || retry == 0 ? 1 : retry - 1;
            default -> random.nextInt(20) == 0 ? 400 * DAY : random.nextLong(algorithm.fillNanos());
        };
    }
}
