package io.github.ratelimit.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class GcraTests {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    @Test
    void convertedWhenLoweredThenBitesAtOnce() {
        Bucket before = new Bucket("100/10m", 100);
        assertThat(before.admitted(10, 0)).isEqualTo(10);
        Bucket lowered = before.under("5/10m", 5, 0);
        assertThat(lowered.admitted(10, 0)).isZero();
        long admitted = 0;
        for (long now = 0; now <= 10 * MINUTE; now += SECOND) {
            admitted += lowered.admitted(10, now);
        }
        assertThat(admitted).isEqualTo(5);
    }

    @Test
    void convertedWhenRaisedThenCarriesConsumptionInPermits() {
        Bucket before = new Bucket("5/10m", 5);
        assertThat(before.admitted(5, 0)).isEqualTo(5);
        assertThat(before.under("5/s", 5, 0).admitted(10, 0)).isZero();
        assertThat(before.under("100/10m", 100, 0).admitted(1000, 0)).isEqualTo(95);
        assertThat(before.under("5/s", 5, 0).admitted(10, SECOND / 5)).isEqualTo(1);
    }

    @Test
    void convertedWhenUnitsDifferThenNeverHandsOutQuota() {
        String[] rates = {"1/d", "7/3s", "2/300ms", "1000000/s", "999983/s", "13/17s"};
        for (int seed = 0; seed < 1_000; seed++) {
            Random random = new Random(seed);
            long now = random.nextLong(400 * 24 * 60 * MINUTE);
            Bucket bucket = new Bucket(rates[random.nextInt(rates.length)], 20, now);
            long used = bucket.admitted(random.nextInt(21), now);
            for (int change = 0; change < 10; change++) {
                bucket = bucket.under(rates[random.nextInt(rates.length)], 20, now);
            }
            // each change rounds up by less than a unit
            assertThat(bucket.admitted(100, now)).as("seed %d", seed).isBetween(Math.max(0, 19 - used), 20 - used);
        }
    }

    @Test
    void convertedWhenSaidInOtherUnitsAndBackThenIsNotShorter() {
        Gcra fine = Gcra.of(Rate.parse("999983/s"), 20);
        Gcra other = Gcra.of(Rate.parse("1000/s"), 20);
        for (int seed = 0; seed < 1_000; seed++) {
            Random random = new Random(seed);
            long tat = fine.after(fine.full(0), 1 + random.nextInt(20), 0);
            long now = random.nextInt(1_000);
            long back = fine.converted(other.converted(tat, fine, now), other, now);
            assertThat(back - tat).as("seed %d", seed).isBetween(0L, 2L);
        }
    }

    @Test
    void convertedWhenConsumptionIsAboveAnyCountingThenIsSpent() {
        Bucket before = new Bucket("1000/s", 1_000);
        before.acquire(1_000, 0);
        Step step = before.under("1/400d", 1, 0).acquire(1, 0);
        assertThat(step.admitted()).isFalse();
        assertThat(step.retryNanos()).isEqualTo(TimeUnit.DAYS.toNanos(400));
    }

    @Test
    void refundedWhenDrawnThenIsAsIfNeverDrawn() {
        Bucket bucket = new Bucket("1/m", 5);
        bucket.acquire(3, 0);
        bucket.refund(2, 0);
        assertThat(bucket.admitted(10, 0)).isEqualTo(4);
    }

    @Test
    void refundedWhenMoreThanDrawnThenHoldsNoMoreThanBurst() {
        for (long cost : new long[] {3, 5, 6, 1_000_000, Long.MAX_VALUE}) {
            Bucket bucket = new Bucket("1/m", 5);
            bucket.acquire(2, 0);
            bucket.refund(cost, 0);
            assertThat(bucket.admitted(10, 0)).isEqualTo(5);
        }
    }

    @Test
    void isFullWhenWholeAgainThenSaysSoToTheNanosecond() {
        Gcra gcra = Gcra.of(Rate.parse("7/3s"), 7);
        long tat = gcra.after(gcra.full(0), 7, 0);
        assertThat(gcra.isFull(tat, 3 * SECOND - 1)).isFalse();
        assertThat(gcra.isFull(tat, 3 * SECOND)).isTrue();
        assertThat(gcra.fillNanos()).isEqualTo(3 * SECOND);
    }

    @Test
    void isAheadWhenClockJumpedBackThenSaysSo() {
        Gcra gcra = Gcra.of(Rate.parse("1/s"), 5);
        long spent = gcra.after(gcra.full(MINUTE), 5, MINUTE);
        assertThat(gcra.isAhead(spent, MINUTE)).isFalse();
        assertThat(gcra.isAhead(spent, MINUTE - 1)).isTrue();
        assertThat(gcra.settled(spent, 0)).isEqualTo(gcra.after(gcra.full(0), 5, 0));
    }
}
