package io.github.ratelimit.store.local;

import static io.github.ratelimit.store.local.LocalZoneTests.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.key.RateLimitKey;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Limits that change at run time, their kind too: consumption carries over, and no quota is handed out. */
class ChangedLimitTests {

    private static final RateLimitKey KEY = key(1);

    private final ManualTicker ticker = new ManualTicker();
    private final LocalZone zone = new LocalZone(1_000, true, ticker);

    @ParameterizedTest
    @MethodSource("changes")
    void acquireWhenLoweredThenBitesAtOnceAndTheNextWindowHasNoMoreThanTheNewLimit(Kind before, Kind after) {
        assertThat(admitted(before.limit("100/10m", 100), 10)).isEqualTo(10);
        Algorithm lowered = after.limit("5/10m", 5);
        assertThat(admitted(lowered, 10)).isZero();
        assertThat(admittedUntil(Duration.ofMinutes(10), lowered)).isLessThanOrEqualTo(5);
        assertThat(admittedUntil(Duration.ofMinutes(20), lowered)).isBetween(1, 5);
        ticker.advance(Duration.ofMinutes(20));
        assertThat(admitted(lowered, 10)).isEqualTo(5);
    }

    @ParameterizedTest
    @MethodSource("changes")
    void acquireWhenRaisedThenWhatWasDrawnStaysDrawn(Kind before, Kind after) {
        assertThat(admitted(before.limit("20/10m", 20), 10)).isEqualTo(10);
        assertThat(admitted(after.limit("50/10m", 50), 100)).isEqualTo(40);
    }

    @ParameterizedTest
    @MethodSource("changes")
    void acquireWhenRaisedInDebtThenTheDebtIsPaidFromTheNewRoom(Kind before, Kind after) {
        Algorithm limit = before.limit("10/10m", 10);
        zone.charge(KEY, limit, 24, zone.acquire(KEY, limit, 1));
        assertThat(admitted(after.limit("50/10m", 50), 100)).isEqualTo(25);
    }

    @ParameterizedTest
    @MethodSource("changes")
    void acquireWhenLoweredInDebtThenTheDebtStays(Kind before, Kind after) {
        Algorithm limit = before.limit("10/10m", 10);
        zone.charge(KEY, limit, 24, zone.acquire(KEY, limit, 1));
        Algorithm lowered = after.limit("5/10m", 5);
        Step refused = zone.acquire(KEY, lowered, 1);
        // 21 of 25 have to come back at 5 in 10 minutes, in windows of 5
        assertThat(refused.retryNanos())
                .isBetween(
                        Duration.ofMinutes(40).toNanos(), Duration.ofMinutes(60).toNanos());
        ticker.advanceNanos(refused.retryNanos());
        assertThat(zone.acquire(KEY, lowered, 1).admitted()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("changes")
    void settleWhenChangedMeanwhileThenTheLimitInForceStays(Kind before, Kind after) {
        Algorithm low = before.limit("5/10m", 5);
        Algorithm high = after.limit("50/10m", 50);
        Step drawn = zone.acquire(KEY, low, 1);
        assertThat(admitted(high, 30)).isEqualTo(30);
        zone.refund(KEY, low, 1, drawn);
        assertThat(zone.peek(KEY, high, 0).remaining()).isEqualTo(20);
        zone.charge(KEY, low, 3, drawn);
        assertThat(zone.peek(KEY, high, 0).remaining()).isEqualTo(17);
    }

    @ParameterizedTest
    @MethodSource("changes")
    void acquireWhenChangedToAndFroThenNothingIsHandedOut(Kind before, Kind after) {
        Algorithm one = before.limit("20/10m", 20);
        Algorithm other = after.limit("20/10m", 20);
        int admitted = 0;
        for (int i = 0; i < 100; i++) {
            admitted += admitted(i % 2 == 0 ? one : other, 1);
            zone.sweep();
        }
        assertThat(admitted).isEqualTo(20);
    }

    @ParameterizedTest
    @MethodSource("changes")
    void acquireWhenLoweredAndRaisedThenWhatWasDrawnBeforeStaysDrawn(Kind before, Kind after) {
        assertThat(admitted(before.limit("100/10m", 100), 10)).isEqualTo(10);
        assertThat(admitted(after.limit("5/10m", 5), 10)).isZero();
        assertThat(admitted(before.limit("50/10m", 50), 100)).isEqualTo(40);
    }

    /** The lower limit is whole again long before the higher one is. */
    @ParameterizedTest
    @MethodSource("changes")
    void acquireWhenLoweredForAWhileThenTheLimitThatComesBackFindsWhatItWouldHaveFound(Kind before, Kind after) {
        Algorithm high = before.limit("100/10m", 100);
        Algorithm low = after.limit("5/m", 5);
        LocalZone twin = new LocalZone(1_000, true, ticker);
        Step drawn = twin.acquire(KEY, high, 90);
        assertThat(zone.acquire(KEY, high, 90).admitted()).isTrue();
        assertThat(admitted(low, 10)).isZero();
        for (int minute = 0; minute < 4; minute++) {
            ticker.advance(Duration.ofMinutes(1));
            int admitted = admitted(low, 10);
            assertThat(admitted).isLessThanOrEqualTo(5);
            twin.charge(KEY, high, admitted, drawn);
            zone.sweep();
        }
        long left = twin.peek(KEY, high, 0).remaining();
        assertThat(zone.peek(KEY, high, 0).remaining()).isEqualTo(left);
        assertThat(admitted(high, 200)).isEqualTo((int) left);
    }

    @ParameterizedTest
    @MethodSource("rates")
    void acquireWhenLimitsComeAndGoThenNoneHandsOutMoreThanIfItHadStayed(Kind kind) {
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            LocalZone changing = new LocalZone(1_000, true, ticker);
            LocalZone staying = new LocalZone(1_000, true, ticker);
            Algorithm high = kind.limit("60/m", 60);
            Algorithm low = kind.limit(1 + random.nextInt(30) + "/" + (1 + random.nextInt(90)) + "s", 5);
            for (int i = 0; i < 40; i++) {
                ticker.advanceNanos(random.nextLong(2_000_000_000L));
                Algorithm limit = i / 10 % 2 == 0 ? high : low;
                long cost = 1 + random.nextInt(5);
                Step step = changing.acquire(KEY, limit, cost);
                if (step.admitted()) {
                    staying.charge(KEY, high, cost, step);
                }
                if (random.nextInt(5) == 0) {
                    changing.sweep();
                }
            }
            // beyond its quota the one that stayed is in debt, the one that came back only spent
            long most = staying.peek(KEY, high, 0).remaining();
            assertThat(changing.peek(KEY, high, 0).remaining())
                    .as("seed %d, low %s", seed, low.rate())
                    .isLessThanOrEqualTo(most + 6);
        }
    }

    @Test
    void sweepWhenTheEarlierLimitWouldBeWholeThenNothingIsLeftOfIt() {
        assertThat(admitted(Kind.TOKEN_BUCKET.limit("100/10m", 100), 90)).isEqualTo(90);
        Algorithm low = Kind.TOKEN_BUCKET.limit("5/m", 5);
        assertThat(admitted(low, 1)).isZero();
        ticker.advance(Duration.ofMinutes(9));
        zone.sweep();
        assertThat(zone.usage().keys()).isZero();
        assertThat(admitted(low, 10)).isEqualTo(5);
    }

    @Test
    void acquireWhenConcurrencyChangesThenWhatIsInUseStaysInUse() {
        Algorithm ten = Kind.CONCURRENCY.limit("1/s", 10);
        Algorithm five = Kind.CONCURRENCY.limit("1/s", 5);
        Algorithm fifty = Kind.CONCURRENCY.limit("1/s", 50);
        Step drawn = zone.acquire(KEY, ten, 1);
        assertThat(admitted(ten, 7)).isEqualTo(7);
        assertThat(admitted(five, 10)).isZero();
        zone.refund(KEY, ten, 4, drawn);
        assertThat(admitted(five, 10)).isEqualTo(1);
        assertThat(admitted(fifty, 100)).isEqualTo(45);
        zone.refund(KEY, five, 50, drawn);
        zone.sweep();
        assertThat(zone.usage().keys()).isZero();
    }

    /** What is in use is given back, and what is consumed comes back by itself: neither may become the other. */
    @ParameterizedTest
    @MethodSource("rates")
    void acquireWhenChangedToConcurrencyAndBackThenNoSlotLeaksAndNoReleaseRefills(Kind kind) {
        Algorithm rate = kind.limit("5/10m", 5);
        Algorithm slots = Kind.CONCURRENCY.limit("1/s", 5);
        Step consumed = zone.acquire(KEY, rate, 3);
        Step occupied = zone.acquire(KEY, slots, 2);
        assertThat(occupied.remaining()).isEqualTo(3);
        zone.refund(KEY, rate, 3, consumed);
        zone.charge(KEY, rate, 9, consumed);
        assertThat(zone.peek(KEY, slots, 0).remaining()).isEqualTo(3);
        assertThat(admitted(rate, 5)).isEqualTo(5);
        zone.refund(KEY, slots, 2, occupied);
        assertThat(zone.peek(KEY, rate, 0).remaining()).isZero();
        assertThat(zone.peek(KEY, slots, 0).remaining()).isEqualTo(5);
    }

    /** A slot of the shared bucket comes back there, though its key has a state of its own by now. */
    @Test
    void refundWhenKeyHasLeftItsBucketMeanwhileThenItsOwnSlotsStayTaken() {
        Algorithm slots = Kind.CONCURRENCY.limit("1/s", 5);
        zone.configure(0, true);
        Step shared = zone.acquire(KEY, slots, 1);
        zone.configure(10, true);
        assertThat(admitted(Kind.TOKEN_BUCKET.limit("5/m", 5), 1)).isEqualTo(1);
        assertThat(admitted(slots, 10)).isEqualTo(5);
        zone.refund(KEY, slots, 1, shared);
        assertThat(admitted(slots, 10)).isZero();
    }

    @ParameterizedTest
    @MethodSource("changes")
    void acquireWhenChangedInASharedBucketThenItsConsumptionStays(Kind before, Kind after) {
        zone.configure(0, true);
        assertThat(admitted(before.limit("20/10m", 20), 10)).isEqualTo(10);
        assertThat(admitted(after.limit("50/10m", 50), 10)).isEqualTo(10);
        zone.configure(1, true);
        assertThat(admitted(before.limit("50/10m", 50), 100)).isEqualTo(30);
    }

    static Stream<Arguments> changes() {
        return rates().flatMap(before -> rates().map(after -> Arguments.of(before, after)));
    }

    static Stream<Kind> rates() {
        return Arrays.stream(Kind.values()).filter(kind -> kind != Kind.CONCURRENCY);
    }

    private int admittedUntil(Duration time, Algorithm limit) {
        int admitted = 0;
        while (ticker.read() < time.toNanos()) {
            ticker.advance(Duration.ofSeconds(1));
            admitted += admitted(limit, 2);
        }
        return admitted;
    }

    private int admitted(Algorithm limit, int draws) {
        int admitted = 0;
        for (int i = 0; i < draws; i++) {
            admitted += zone.acquire(KEY, limit, 1).admitted() ? 1 : 0;
        }
        return admitted;
    }
}
