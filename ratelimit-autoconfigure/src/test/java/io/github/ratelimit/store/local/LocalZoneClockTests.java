package io.github.ratelimit.store.local;

import static io.github.ratelimit.store.local.LocalZoneTests.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.algorithm.Step.Verdict;
import io.github.ratelimit.key.RateLimitKey;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;

/** Clocks that jump back, stand still, start anywhere and leap: five permits in five seconds. */
class LocalZoneClockTests {

    private static final RateLimitKey KEY = key(1);
    private static final Duration PERIOD = Duration.ofSeconds(5);

    private final ManualTicker ticker = new ManualTicker();
    private final LocalZone zone = new LocalZone(1_000, true, ticker);

    @ParameterizedTest
    @EnumSource
    void acquireWhenClockStandsStillThenAdmitsItsLimitAndNoMore(Kind kind) {
        assertThat(admitted(kind.limit("5/5s", 5), 1_000)).isEqualTo(5);
    }

    @ParameterizedTest
    @EnumSource(names = "CONCURRENCY", mode = Mode.EXCLUDE)
    void acquireWhenClockJumpsBackThenASpentKeyIsNeitherForgivenNorLocked(Kind kind) {
        Algorithm limit = kind.limit("5/5s", 5);
        ticker.advance(Duration.ofHours(3));
        admitted(limit, 5);
        ticker.advance(Duration.ofHours(-2));
        Step refused = zone.acquire(KEY, limit, 1);
        assertThat(refused.verdict()).isEqualTo(Verdict.REFUSED);
        assertThat(refused.retryNanos()).isBetween(1L, 2 * PERIOD.toNanos());
        ticker.advanceNanos(refused.retryNanos() - 1);
        assertThat(zone.acquire(KEY, limit, 1).admitted()).isFalse();
        ticker.advanceNanos(1);
        assertThat(zone.acquire(KEY, limit, 1).admitted()).isTrue();
        ticker.advance(PERIOD.multipliedBy(2));
        assertThat(admitted(limit, 10)).isEqualTo(5);
    }

    /** Where several zones are asked, a refusal is a look: it must see the jump as well. */
    @ParameterizedTest
    @EnumSource(names = "CONCURRENCY", mode = Mode.EXCLUDE)
    void peekWhenClockJumpsBackThenWaitingItsRetryHelps(Kind kind) {
        Algorithm limit = kind.limit("5/5s", 5);
        ticker.advance(Duration.ofHours(3));
        admitted(limit, 5);
        ticker.advance(Duration.ofHours(-2));
        Step refused = zone.peek(KEY, limit, 1);
        assertThat(refused.verdict()).isEqualTo(Verdict.REFUSED);
        ticker.advanceNanos(refused.retryNanos() - 1);
        assertThat(zone.peek(KEY, limit, 1).admitted()).isFalse();
        ticker.advanceNanos(1);
        assertThat(zone.peek(KEY, limit, 1).admitted()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(names = "CONCURRENCY", mode = Mode.EXCLUDE)
    void acquireWhenClockJumpsBackThenADebtIsNotForgiven(Kind kind) {
        Algorithm limit = kind.limit("5/5s", 5);
        ticker.advance(Duration.ofHours(3));
        zone.charge(KEY, limit, 20, zone.acquire(KEY, limit, 1));
        long before = zone.peek(KEY, limit, 1).retryNanos();
        assertThat(before).isGreaterThanOrEqualTo(3 * PERIOD.toNanos());
        ticker.advance(Duration.ofHours(-2));
        Step refused = zone.acquire(KEY, limit, 1);
        assertThat(refused.retryNanos()).isGreaterThanOrEqualTo(before);
        ticker.advanceNanos(refused.retryNanos());
        assertThat(zone.acquire(KEY, limit, 1).admitted()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(names = "CONCURRENCY", mode = Mode.EXCLUDE)
    void acquireWhenClockGoesToAndFroThenHandsOutNoMoreThanTimeThatPassed(Kind kind) {
        Algorithm limit = kind.limit("5/5s", 5);
        int admitted = 0;
        for (int i = 0; i < 100; i++) {
            admitted += admitted(limit, 10);
            ticker.advanceNanos(i % 2 == 0 ? -1 : 1);
            zone.sweep();
        }
        assertThat(admitted).isEqualTo(5);
    }

    @ParameterizedTest
    @EnumSource(names = "CONCURRENCY", mode = Mode.EXCLUDE)
    void acquireWhenClockStartsAnywhereThenCountsAsEver(Kind kind) {
        Algorithm limit = kind.limit("5/5s", 5);
        for (long start : new long[] {
            -1, -PERIOD.toNanos(), -Duration.ofDays(400).toNanos(), Long.MIN_VALUE, Long.MAX_VALUE, Long.MAX_VALUE / 2
        }) {
            zone.forget(KEY);
            ticker.advanceNanos(start - ticker.read());
            for (int i = 0; i < 3; i++) {
                assertThat(admitted(limit, 10)).as("from %d", start).isEqualTo(5);
                // a state that wrapped onto the reserved value is said a nanosecond late
                ticker.advanceNanos(2 * PERIOD.toNanos() + 1);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = "CONCURRENCY", mode = Mode.EXCLUDE)
    void acquireWhenClockLeaps400DaysThenIsFullOnceAndADebtIsPaid(Kind kind) {
        Algorithm limit = kind.limit("5/5s", 5);
        for (int i = 0; i < 20; i++) {
            assertThat(admitted(limit, 10)).isEqualTo(5);
            if (i % 2 == 0) {
                zone.charge(KEY, limit, 20, zone.peek(KEY, limit, 0));
                assertThat(admitted(limit, 1)).isZero();
            }
            ticker.advance(Duration.ofDays(400));
        }
        zone.sweep();
        assertThat(zone.usage().keys()).isZero();
    }

    @Test
    void acquireWhenClockJumpsThenWhatIsInUseStaysInUse() {
        Algorithm limit = Kind.CONCURRENCY.limit("5/5s", 5);
        assertThat(admitted(limit, 10)).isEqualTo(5);
        for (int hours : new int[] {-2, 9_600, -1, 0}) {
            ticker.advance(Duration.ofHours(hours));
            zone.sweep();
            assertThat(admitted(limit, 1)).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1/400d", "1/d", "2000000000/d", "1000000/s", "2/300ms"})
    void chargeWhenDebtIsBeyondCountingThenNothingOverflows(String rate) {
        for (Kind kind : new Kind[] {Kind.TOKEN_BUCKET, Kind.LEAKY_BUCKET, Kind.FIXED_WINDOW, Kind.SLIDING_WINDOW}) {
            Algorithm limit = kind.limit(rate, 2);
            zone.forget(KEY);
            Step drawn = zone.acquire(KEY, limit, 1);
            zone.charge(KEY, limit, Long.MAX_VALUE, drawn);
            zone.charge(KEY, limit, Long.MAX_VALUE, drawn);
            for (int hours : new int[] {0, 2, -4, 2}) {
                ticker.advance(Duration.ofHours(hours));
                Step refused = zone.acquire(KEY, limit, 1);
                assertThat(refused.verdict()).as("%s %s", kind, rate).isEqualTo(Verdict.REFUSED);
                assertThat(refused.remaining()).isZero();
                assertThat(refused.retryNanos()).isBetween(Duration.ofDays(400).toNanos(), Long.MAX_VALUE - 1);
                assertThat(refused.resetNanos()).isGreaterThanOrEqualTo(refused.retryNanos());
            }
            zone.refund(KEY, limit, Long.MAX_VALUE, drawn);
            assertThat(zone.acquire(KEY, limit, limit.limit()).admitted())
                    .as("%s %s", kind, rate)
                    .isTrue();
        }
    }

    private int admitted(Algorithm limit, int draws) {
        int admitted = 0;
        for (int i = 0; i < draws; i++) {
            admitted += zone.acquire(KEY, limit, 1).admitted() ? 1 : 0;
        }
        return admitted;
    }
}
