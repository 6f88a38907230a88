package io.github.ratelimit.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LeakyBucketTests {

    /** What becomes of eight requests at once at 2/s, as nginx has it: a delay in milliseconds, or - for refused. */
    @ParameterizedTest
    @CsvSource(textBlock = """
            # burst, delay-after
            0,  0,     0 - - - - - - -
            1,  0,     0 500 - - - - - -
            5,  0,     0 500 1000 1500 2000 2500 - -
            5,  2,     0 0 0 500 1000 1500 - -
            5,  4,     0 0 0 0 0 500 - -
            5,  5,     0 0 0 0 0 0 - -
            5,  never, 0 0 0 0 0 0 - -
            0,  never, 0 - - - - - - -
            """)
    void acquireWhenEightComeAtOnceThenSomePassSomeWaitAndTheRestIsRefused(
            long burst, String delayAfter, String becomes) {
        LeakyBucket bucket = bucket(burst, delayAfter);
        long tat = bucket.gcra().full(0);
        StringBuilder became = new StringBuilder();
        for (int i = 0; i < 8; i++) {
            if (bucket.gcra().admits(tat, 1, 0)) {
                tat = bucket.gcra().after(tat, 1, 0);
                became.append(bucket.admitted(tat, 1, 0).delayNanos() / 1_000_000);
            } else {
                became.append('-');
            }
            became.append(' ');
        }
        assertThat(became.toString().trim()).isEqualTo(becomes);
    }

    @Test
    void admittedWhenOneComesEveryIntervalThenNoneWaits() {
        LeakyBucket bucket = bucket(5, "0");
        long tat = bucket.gcra().full(0);
        for (long now = 0; now < 100_000_000_000L; now += 500_000_000) {
            assertThat(bucket.gcra().admits(tat, 1, now)).isTrue();
            tat = bucket.gcra().after(tat, 1, now);
            assertThat(bucket.admitted(tat, 1, now).delayNanos()).isZero();
        }
    }

    @Test
    void admittedWhenCostIsSeveralThenWaitsForThoseBeforeItOnly() {
        LeakyBucket bucket = bucket(5, "0");
        long first = bucket.gcra().after(bucket.gcra().full(0), 3, 0);
        assertThat(bucket.admitted(first, 3, 0)).isEqualTo(new Step(Step.Verdict.ADMITTED, 3, 1_500_000_000L, 0, 0));
        long second = bucket.gcra().after(first, 2, 0);
        assertThat(bucket.admitted(second, 2, 0).delayNanos()).isEqualTo(1_500_000_000L);
        assertThat(bucket.admitted(second, 0, 0).delayNanos()).isZero();
    }

    @Test
    void limitWhenAskedThenIsOneInServiceAndThoseThatWait() {
        assertThat(bucket(0, "0").limit()).isEqualTo(1);
        assertThat(bucket(5, "0").limit()).isEqualTo(6);
        assertThat(bucket(5, "0").fillNanos()).isEqualTo(3_000_000_000L);
    }

    @Test
    void ofWhenNumbersAreOutOfRangeThenSaysSo() {
        Rate rate = Rate.parse("2/s");
        for (long burst : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE, Long.MAX_VALUE - 1}) {
            assertThatIllegalArgumentException().isThrownBy(() -> LeakyBucket.of(rate, burst, 0));
        }
        assertThatIllegalArgumentException().isThrownBy(() -> LeakyBucket.of(rate, 5, -1));
    }

    private static LeakyBucket bucket(long burst, String delayAfter) {
        return LeakyBucket.of(
                Rate.parse("2/s"),
                burst,
                delayAfter.equals("never") ? LeakyBucket.NO_DELAY : Long.parseLong(delayAfter));
    }
}
