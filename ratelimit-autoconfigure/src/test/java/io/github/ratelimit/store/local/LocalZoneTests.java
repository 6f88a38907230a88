package io.github.ratelimit.store.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.algorithm.Step.Verdict;
import io.github.ratelimit.algorithm.TokenBucket;
import io.github.ratelimit.key.RateLimitKey;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class LocalZoneTests {

    private final ManualTicker ticker = new ManualTicker();
    private final LocalZone zone = new LocalZone(1_000, true, ticker);

    @Test
    void acquireWhenDrawnThenCountsDownAndRefuses() {
        Algorithm limit = limit("1/s", 3);
        assertThat(zone.acquire(key(1), limit, 1)).isEqualTo(new Step(Verdict.ADMITTED, 2, seconds(1), 0, 0));
        assertThat(zone.acquire(key(1), limit, 2)).isEqualTo(new Step(Verdict.ADMITTED, 0, seconds(3), 0, 0));
        assertThat(zone.acquire(key(1), limit, 1)).isEqualTo(new Step(Verdict.REFUSED, 0, seconds(3), seconds(1), 0));
        assertThat(zone.acquire(key(1), limit, 4).verdict()).isEqualTo(Verdict.UNAFFORDABLE);
        assertThat(zone.acquire(key(2), limit, 1).remaining()).isEqualTo(2);
    }

    @Test
    void acquireWhenWaitedExactlyRetryThenIsAdmitted() {
        Algorithm limit = limit("7/3s", 7);
        assertThat(admitted(key(1), limit, 100)).isEqualTo(7);
        ticker.advanceNanos(zone.acquire(key(1), limit, 1).retryNanos() - 1);
        assertThat(zone.acquire(key(1), limit, 1).admitted()).isFalse();
        ticker.advanceNanos(1);
        assertThat(zone.acquire(key(1), limit, 1).admitted()).isTrue();
    }

    @Test
    void acquireWhenRefusedThenConsumesAndProlongsNothing() {
        Algorithm limit = limit("6/m", 6);
        assertThat(admitted(key(1), limit, 6)).isEqualTo(6);
        assertThat(admitted(key(2), limit, 6)).isEqualTo(6);
        int impatient = 0;
        int patient = 0;
        for (int millis = 0; millis < 65_000; millis += 300) {
            ticker.advance(Duration.ofMillis(300));
            impatient += admitted(key(1), limit, 1);
            patient += (millis + 300) % 10_200 == 0 ? admitted(key(2), limit, 1) : 0;
        }
        assertThat(patient).isEqualTo(6);
        assertThat(impatient).isEqualTo(6);
    }

    @Test
    void acquireWhenClockJumpsBackThenKeyIsNotLockedForTheJump() {
        Algorithm limit = limit("1/s", 5);
        ticker.advance(Duration.ofHours(3));
        assertThat(admitted(key(1), limit, 10)).isEqualTo(5);
        ticker.advance(Duration.ofHours(-2));
        assertThat(zone.peek(key(1), limit, 1).retryNanos()).isEqualTo(seconds(1));
        ticker.advance(Duration.ofSeconds(1));
        assertThat(admitted(key(1), limit, 10)).isEqualTo(1);
        ticker.advance(Duration.ofDays(400));
        assertThat(admitted(key(1), limit, 10)).isEqualTo(5);
    }

    @Test
    void acquireWhenClockWrapsThroughReservedValuesThenKeepsCounting() {
        ticker.advanceNanos(Long.MIN_VALUE - seconds(3));
        Algorithm limit = limit("1/s", 3);
        for (int i = -3; i < 4; i++) {
            assertThat(admitted(key(1), limit, 10)).isEqualTo(i == -3 ? 3 : 1);
            zone.sweep();
            assertThat(zone.usage().keys()).isEqualTo(1);
            // the first draws lead to a reserved value, which is said a unit late
            ticker.advanceNanos(seconds(1) + (i == -3 ? 1 : 0));
        }
    }

    @Test
    void acquireWhenKeyIsIdleForMostOfADayThenIsRemembered() {
        Algorithm daily = limit("2/d", 2);
        assertThat(admitted(key(1), daily, 2)).isEqualTo(2);
        for (int hour = 0; hour < 23; hour++) {
            ticker.advance(Duration.ofHours(1));
            zone.sweep();
            for (int i = 100; i < 200; i++) {
                zone.acquire(key(i), daily, 1);
            }
        }
        assertThat(admitted(key(1), daily, 2)).isEqualTo(1);
        ticker.advance(Duration.ofHours(1));
        assertThat(admitted(key(1), daily, 2)).isEqualTo(1);
        ticker.advance(Duration.ofHours(24));
        assertThat(admitted(key(1), daily, 5)).isEqualTo(2);
    }

    @Test
    void peekWhenAskedThenSaysWhatADrawWouldAndSpendsNothing() {
        Algorithm limit = limit("1/m", 3);
        for (int i = 0; i < 3; i++) {
            assertThat(zone.peek(key(1), limit, 2)).isEqualTo(zone.peek(key(1), limit, 2));
            Step look = zone.peek(key(1), limit, 1);
            assertThat(zone.acquire(key(1), limit, 1)).isEqualTo(look);
        }
        assertThat(zone.peek(key(1), limit, 1)).isEqualTo(zone.acquire(key(1), limit, 1));
        assertThat(zone.peek(key(9), limit, 1).remaining()).isEqualTo(2);
        assertThat(zone.usage().keys()).isEqualTo(1);
    }

    @Test
    void refundWhenDrawnThenIsAsIfNeverDrawnAndNeverAboveBurst() {
        Algorithm limit = limit("1/m", 3);
        Step drawn = zone.acquire(key(1), limit, 2);
        zone.refund(key(1), limit, 2, drawn);
        zone.refund(key(1), limit, 2, drawn);
        zone.refund(key(2), limit, 2, drawn);
        assertThat(admitted(key(1), limit, 10)).isEqualTo(3);
        assertThat(admitted(key(2), limit, 10)).isEqualTo(3);
    }

    @Test
    void forgetWhenSpentThenKeyIsAsNew() {
        Algorithm limit = limit("1/m", 3);
        admitted(key(1), limit, 3);
        zone.forget(key(1));
        zone.forget(key(2));
        assertThat(zone.usage().keys()).isZero();
        assertThat(admitted(key(1), limit, 10)).isEqualTo(3);
    }

    @Test
    void acquireWhenLimitIsLoweredThenBitesAtOnceAndWhenRaisedThenRefillsNothing() {
        assertThat(admitted(key(1), limit("100/10m", 100), 10)).isEqualTo(10);
        Algorithm lowered = limit("5/10m", 5);
        assertThat(admitted(key(1), lowered, 10)).isZero();
        ticker.advance(Duration.ofMinutes(10));
        assertThat(admitted(key(1), lowered, 10)).isEqualTo(5);
        assertThat(admitted(key(1), limit("5/s", 5), 10)).isZero();
        assertThat(admitted(key(1), limit("5/s", 8), 10)).isEqualTo(3);
    }

    @Test
    void sweepWhenKeysAreFullAgainThenTheyLeaveWithoutTraffic() {
        Algorithm limit = limit("5/2s", 5);
        for (int i = 0; i < 100; i++) {
            zone.acquire(key(i), limit, 1 + i % 5);
        }
        ticker.advanceNanos(seconds(2) * 3 / 5 - 1);
        zone.sweep();
        assertThat(zone.usage().keys()).isEqualTo(60);
        ticker.advanceNanos(1);
        zone.sweep();
        assertThat(zone.usage().keys()).isEqualTo(40);
        ticker.advance(Duration.ofSeconds(2));
        zone.sweep();
        assertThat(zone.usage().keys()).isZero();
    }

    @Test
    void storeWhenAskedAgainThenKeepsStateAndChangesBound() {
        try (LocalStore store = new LocalStore(ticker)) {
            Algorithm limit = limit("1/m", 3);
            store.zone("a", 10, true).acquire(key(1), limit, 3);
            LocalZone again = store.zone("a", 20, true);
            assertThat(again.usage().maxKeys()).isEqualTo(20);
            assertThat(again.acquire(key(1), limit, 1).admitted()).isFalse();
            assertThat(store.zone("b", 10, true).acquire(key(1), limit, 1).admitted())
                    .isTrue();
            ticker.advance(Duration.ofMinutes(3));
            store.sweep();
            assertThat(again.usage().keys()).isZero();
            again.acquire(key(1), limit, 3);
            store.retain(Set.of("b"));
            assertThat(store.zone("a", 10, true).acquire(key(1), limit, 1).admitted())
                    .isTrue();
        }
    }

    /** A server that looks for threads left behind by an application that it stops must find none. */
    @Test
    void closeThenTheSweeperHasStopped() {
        for (int i = 0; i < 500; i++) {
            Set<Thread> before = sweepers();
            LocalStore store = new LocalStore(ticker);
            Set<Thread> started = sweepers();
            started.removeAll(before);
            assertThat(started).hasSize(1);
            store.close();
            assertThat(started).noneMatch(Thread::isAlive);
        }
    }

    private static Set<Thread> sweepers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("ratelimit-sweeper"))
                .collect(Collectors.toSet());
    }

    private int admitted(RateLimitKey key, Algorithm limit, int draws) {
        int admitted = 0;
        for (int i = 0; i < draws; i++) {
            admitted += zone.acquire(key, limit, 1).admitted() ? 1 : 0;
        }
        return admitted;
    }

    static Algorithm limit(String rate, long burst) {
        return TokenBucket.of(Rate.parse(rate), burst);
    }

    static RateLimitKey key(int number) {
        return RateLimitKey.ofText("k" + number);
    }

    private static long seconds(long seconds) {
        return seconds * 1_000_000_000;
    }
}
