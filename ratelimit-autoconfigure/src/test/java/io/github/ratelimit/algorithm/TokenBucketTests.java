package io.github.ratelimit.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.ratelimit.algorithm.Step.Verdict;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TokenBucketTests {

    private static final long HOUR = TimeUnit.HOURS.toNanos(1);
    private static final long DAY = TimeUnit.DAYS.toNanos(1);

    /** One key's life at 1/s with a burst of 5; a cost of 0 is a look. Times in milliseconds. */
    @ParameterizedTest
    @CsvSource(textBlock = """
            # at, cost, remaining, reset, retry, limited after these draws (at x cost)
                0,    0,         5,     0,     0, false, ''
                0,    1,         4,  1000,     0, false, ''
                0,    1,         3,  2000,     0, false, 0x1
                0,    3,         0,  5000,     0, false, 0x1 0x1
                0,    1,         0,  5000,  1000, true,  0x5
                0,    0,         0,  5000,     0, false, 0x5
                0,    5,         0,  5000,  5000, true,  0x5
                0,    6,         5,     0, never, true,  ''
                0,    6,         0,  5000, never, true,  0x5
              999,    1,         0,  4001,     1, true,  0x5
             1000,    1,         0,  5000,     0, false, 0x5
             1000,    2,         1,  4000,  1000, true,  0x5
             1500,    1,         0,  4500,     0, false, 0x5
             4999,    5,         4,     1,     1, true,  0x5
             5000,    5,         0,  5000,     0, false, 0x5
            99999,    5,         0,  5000,     0, false, 0x5
             2500,    1,         0,  4500,     0, false, 0x5 1000x1
            """)
    void acquireWhenDrawnBeforeThenSaysStep(
            long at, long cost, long remaining, long reset, String retry, boolean limited, String before) {
        Bucket bucket = new Bucket("1/s", 5);
        for (String draw : before.isEmpty() ? new String[0] : before.split(" ")) {
            String[] parts = draw.split("x");
            assertThat(bucket.acquire(Long.parseLong(parts[1]), millis(parts[0]))
                            .admitted())
                    .isTrue();
        }
        Step step = bucket.acquire(cost, millis("" + at));
        assertThat(step.admitted()).isEqualTo(!limited);
        assertThat(step.remaining()).isEqualTo(remaining);
        assertThat(step.resetNanos()).isEqualTo(millis("" + reset));
        assertThat(step.retryNanos()).isEqualTo(retry.equals("never") ? Step.NEVER : millis(retry));
        assertThat(step.delayNanos()).isZero();
    }

    @Test
    void acquireWhenCostIsAboveCapacityThenIsUnaffordableAndChangesNothing() {
        Bucket bucket = new Bucket("10/s", 10);
        for (long cost : new long[] {11, 1_000_000, Long.MAX_VALUE}) {
            Step step = bucket.acquire(cost, 0);
            assertThat(step.verdict()).isEqualTo(Verdict.UNAFFORDABLE);
            assertThat(step.retryNanos()).isEqualTo(Step.NEVER);
            assertThat(step.remaining()).isEqualTo(10);
        }
        assertThat(bucket.acquire(10, 0).admitted()).isTrue();
    }

    @Test
    void acquireWhenClockStandsStillThenAdmitsBurstAndNoMore() {
        Bucket bucket = new Bucket("1000000/s", 10);
        assertThat(bucket.admitted(1000, 42)).isEqualTo(10);
    }

    @Test
    void acquireWhenClockJumpsBackThenIsAtWorstJustSpent() {
        Bucket bucket = new Bucket("1/s", 5);
        bucket.admitted(5, 3 * HOUR);
        Step step = bucket.acquire(1, HOUR);
        assertThat(step.verdict()).isEqualTo(Verdict.REFUSED);
        assertThat(step.retryNanos()).isEqualTo(millis("1000"));
        assertThat(bucket.acquire(1, HOUR + step.retryNanos() - 1).admitted()).isFalse();
        assertThat(bucket.acquire(1, HOUR + step.retryNanos()).admitted()).isTrue();
    }

    @Test
    void acquireWhenClockJumpsToAndFroThenNeverHandsOutMoreThanTimeThatPassed() {
        Bucket bucket = new Bucket("1/s", 5);
        long admitted = 0;
        for (int i = 0; i < 100; i++) {
            admitted += bucket.admitted(10, i % 2 == 0 ? 2 * HOUR : 2 * HOUR - 1);
        }
        assertThat(admitted).isEqualTo(5);
    }

    @Test
    void acquireWhenClockIsNegativeOrWrapsThenCountsAsEver() {
        long wrap = Long.MAX_VALUE / 7;
        for (long start :
                new long[] {-DAY, Long.MIN_VALUE, Long.MIN_VALUE / 7, wrap, Long.MAX_VALUE - 1, 4 * 366 * DAY}) {
            Bucket bucket = new Bucket("7/3s", 7, start);
            assertThat(bucket.admitted(10, start)).isEqualTo(7);
            assertThat(bucket.admitted(10, start + millis("2999"))).isEqualTo(6);
            assertThat(bucket.admitted(10, start + millis("3000"))).isEqualTo(1);
        }
    }

    @Test
    void acquireWhenClockLeaps400DaysThenIsFullOnce() {
        Bucket bucket = new Bucket("64/1.000001s", 64);
        long now = 0;
        for (int i = 0; i < 20; i++, now += 400 * DAY) {
            assertThat(bucket.admitted(100, now)).isEqualTo(64);
        }
    }

    @Test
    void ofWhenBurstTakesLongerThanCountableThenRefuses() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TokenBucket.of(Rate.parse("1/d"), 13_345))
                .withMessageContaining("at 1/d");
        assertThatIllegalArgumentException().isThrownBy(() -> TokenBucket.of(Rate.parse("1/400d"), Long.MAX_VALUE));
        assertThatIllegalArgumentException().isThrownBy(() -> TokenBucket.of(Rate.parse("1/s"), 0));
        assertThatIllegalArgumentException().isThrownBy(() -> TokenBucket.of(Rate.parse("1/s"), -5));
    }

    /** The worst that construction lets through, after the longest uptime and with the longest leaps. */
    @ParameterizedTest
    @CsvSource({"1/d,13343", "1/400d,33", "31/1.000001s,1152920351", "999983/s,18014000000000"})
    void acquireWhenCapacityIsTheLargestThenDoesNotOverflow(String rate, long burst) {
        for (long start : new long[] {0, -2 * HOUR, 4 * 366 * DAY, 4 * 366 * DAY + 400 * DAY}) {
            Bucket bucket = new Bucket(rate, burst, start);
            assertThat(bucket.acquire(burst, start).admitted()).isTrue();
            Step refused = bucket.acquire(burst, start);
            assertThat(refused.verdict()).isEqualTo(Verdict.REFUSED);
            assertThat(refused.retryNanos()).isPositive().isEqualTo(bucket.fillNanos());
            assertThat(bucket.acquire(1, start - 2 * HOUR).admitted()).isFalse();
            assertThat(bucket.acquire(1, start - 400 * DAY).admitted()).isFalse();
        }
        Bucket leaping = new Bucket(rate, burst);
        leaping.acquire(burst, 0);
        assertThat(leaping.acquire(1, 400 * DAY).admitted()).isTrue();
    }

    private static long millis(String millis) {
        return Long.parseLong(millis) * 1_000_000;
    }
}
