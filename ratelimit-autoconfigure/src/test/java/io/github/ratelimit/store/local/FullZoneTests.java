package io.github.ratelimit.store.local;

import static io.github.ratelimit.store.local.LocalZoneTests.key;
import static io.github.ratelimit.store.local.LocalZoneTests.limit;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Concurrency;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.algorithm.Step.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A zone that is flooded with keys: its bound holds, and so does each key's limit. */
class FullZoneTests {

    private static final int MAX_KEYS = 1_000;

    private final Algorithm limit = limit("5/10m", 5);
    private final ManualTicker ticker = new ManualTicker();
    private final LocalZone zone = new LocalZone(MAX_KEYS, true, ticker);
    private final int[] admitted = new int[10_000];

    @Test
    void acquireWhenFloodedThenKnownKeysKeepTheirStateAndNoneGetsMore() {
        draw(0, 5);
        for (int i = 1; i <= 300; i++) {
            draw(i, 4);
        }
        for (int i = 1_000; i < 6_000; i++) {
            draw(i, 2);
            assertThat(zone.usage().keys()).isLessThanOrEqualTo(MAX_KEYS);
        }
        assertThat(zone.usage().full()).isTrue();
        assertThat(zone.usage().ratio()).isEqualTo(1);
        assertThat(draw(0, 1)).isZero();
        for (int i = 1; i <= 300; i++) {
            assertThat(draw(i, 3)).isEqualTo(1);
        }
        assertThat(Arrays.stream(admitted).max()).hasValue(5);
    }

    @Test
    void acquireWhenFullThenNewcomersShareBucketsOfTheZonesOwnLimit() {
        fill();
        int sum = 0;
        for (int i = 1_000; i < 9_000; i++) {
            sum += draw(i, 1);
        }
        assertThat(sum).isBetween(1_000, 1024 * 5);
        assertThat(zone.usage().shared()).isEqualTo(8_000);
        Step refused = zone.acquire(key(1_000), limit, 5);
        assertThat(refused.verdict()).isEqualTo(Verdict.REFUSED_SHARED);
        assertThat(refused.retryNanos()).isPositive();
        ticker.advance(Duration.ofMinutes(20));
        assertThat(zone.acquire(key(9_000), limit, 1).verdict()).isEqualTo(Verdict.ADMITTED_SHARED);
    }

    @Test
    void acquireWhenFullAndRejectingThenRefusesNewcomersOnly() {
        fill();
        zone.configure(MAX_KEYS, false);
        assertThat(zone.acquire(key(5_000), limit, 1).verdict()).isEqualTo(Verdict.REFUSED_FULL);
        assertThat(zone.peek(key(5_000), limit, 1).verdict()).isEqualTo(Verdict.REFUSED_FULL);
        assertThat(draw(7, 5)).isEqualTo(4);
        ticker.advance(Duration.ofMinutes(10));
        zone.sweep();
        assertThat(draw(5_000, 6)).isEqualTo(5);
    }

    /** Waiting for exactly what a refusal says is enough, however long keys last. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void acquireWhenRefusedForWantOfRoomThenTheWaitHelps(Kind kind) {
        Algorithm own = kind.limit("5/10m", 5);
        LocalZone rejecting = new LocalZone(3, false, ticker);
        List<Step> drawn = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            ticker.advance(Duration.ofSeconds(1));
            drawn.add(rejecting.acquire(key(i), own, 1 + i));
        }
        Step refused = rejecting.acquire(key(9), own, 1);
        assertThat(refused.verdict()).isEqualTo(Verdict.REFUSED_FULL);
        assertThat(rejecting.peek(key(9), own, 1).retryNanos()).isEqualTo(refused.retryNanos());
        if (own instanceof Concurrency) {
            rejecting.refund(key(0), own, 1, drawn.get(0));
        }
        ticker.advanceNanos(refused.retryNanos());
        rejecting.sweep();
        assertThat(rejecting.acquire(key(9), own, 1).verdict()).isEqualTo(Verdict.ADMITTED);
    }

    @Test
    void acquireWhenRefusedAgainLaterThenTheWaitIsShorter() {
        LocalZone rejecting = new LocalZone(1, false, ticker);
        rejecting.acquire(key(1), limit, 1);
        long first = rejecting.acquire(key(2), limit, 1).retryNanos();
        assertThat(first).isEqualTo(Duration.ofMinutes(2).toNanos() + LocalStore.SWEEP_NANOS);
        ticker.advance(Duration.ofSeconds(1));
        assertThat(rejecting.acquire(key(2), limit, 1).retryNanos()).isEqualTo(first - 1_000_000_000L);
        ticker.advance(Duration.ofMinutes(10));
        assertThat(rejecting.acquire(key(2), limit, 1).retryNanos()).isEqualTo(LocalStore.SWEEP_NANOS);
    }

    @Test
    void acquireWhenOthersHaveTakenTheRoomThenTheWaitIsTheirs() {
        LocalZone rejecting = new LocalZone(1, false, ticker);
        rejecting.acquire(key(1), limit, 1);
        ticker.advance(Duration.ofSeconds(119));
        rejecting.sweep();
        assertThat(rejecting.acquire(key(2), limit, 5).verdict()).isEqualTo(Verdict.REFUSED_FULL);
        ticker.advance(Duration.ofSeconds(1));
        rejecting.sweep();
        assertThat(rejecting.acquire(key(2), limit, 5).verdict()).isEqualTo(Verdict.ADMITTED);
        assertThat(rejecting.acquire(key(3), limit, 1).retryNanos())
                .isEqualTo(Duration.ofMinutes(10).toNanos() + LocalStore.SWEEP_NANOS);
    }

    @Test
    void acquireWhenRoomReturnsThenLeavingASharedBucketGivesNoFreeBurst() {
        fill();
        assertThat(draw(5_000, 4)).isEqualTo(4);
        zone.forget(key(3));
        assertThat(zone.peek(key(5_000), limit, 1).verdict()).isEqualTo(Verdict.ADMITTED);
        assertThat(draw(5_000, 5)).isEqualTo(1);
        assertThat(zone.acquire(key(5_000), limit, 1).verdict()).isEqualTo(Verdict.REFUSED);
    }

    @Test
    void acquireWhenBoundIsRaisedOrLoweredThenNoStateIsDropped() {
        fill();
        zone.configure(10, true);
        assertThat(zone.usage().keys()).isEqualTo(MAX_KEYS);
        assertThat(draw(7, 9)).isEqualTo(4);
        assertThat(zone.acquire(key(5_000), limit, 1).verdict()).isEqualTo(Verdict.ADMITTED_SHARED);
        zone.configure(MAX_KEYS + 1, true);
        assertThat(zone.acquire(key(5_001), limit, 1).verdict()).isEqualTo(Verdict.ADMITTED);
        assertThat(zone.usage().full()).isTrue();
    }

    @Test
    void refundWhenDrawnFromSharedBucketThenGoesBackThere() {
        fill();
        Step drawn = zone.acquire(key(5_000), limit, 5);
        zone.refund(key(5_000), limit, 5, drawn);
        assertThat(draw(5_000, 9)).isEqualTo(5);
    }

    @Test
    void refundWhenOwnStateIsGoneThenSharedBucketGetsNothing() {
        zone.configure(1, true);
        Step drawn = zone.acquire(key(1), limit, 1);
        ticker.advance(Duration.ofMinutes(10));
        zone.sweep();
        assertThat(draw(2, 1)).isEqualTo(1);
        assertThat(draw(1, 9)).isEqualTo(5);
        zone.refund(key(1), limit, 1, drawn);
        assertThat(draw(1, 9)).isZero();
    }

    @Test
    void sweepWhenFloodIsOverThenZoneIsEmptyAndFair() {
        LocalZone small = new LocalZone(10_000, true, ticker);
        Algorithm fast = limit("5/2s", 5);
        for (int i = 0; i < 1_000_000; i++) {
            small.acquire(key(i), fast, 1);
            if (i % 50_000 == 0) {
                assertThat(small.usage().keys()).isLessThanOrEqualTo(10_000);
            }
        }
        ticker.advance(Duration.ofSeconds(2));
        small.sweep();
        assertThat(small.usage().keys()).isZero();
        assertThat(small.usage().full()).isFalse();
        assertThat(small.acquire(key(77), fast, 5).verdict()).isEqualTo(Verdict.ADMITTED);
    }

    /** Random comings and goings around the bound: no key is ever admitted more than its burst and refill. */
    @Test
    void acquireWhenZoneIsFullOnAndOffThenNoKeyGetsMoreThanItsLimit() {
        Random random = new Random(42);
        LocalZone tiny = new LocalZone(8, true, ticker);
        Algorithm tinyLimit = limit("3/30s", 3);
        int keys = 40;
        long[] tokensInSeconds = new long[keys];
        Arrays.fill(tokensInSeconds, 30);
        for (int step = 0; step < 100_000; step++) {
            int k = random.nextInt(keys);
            if (tiny.acquire(key(k), tinyLimit, 1).admitted()) {
                tokensInSeconds[k] -= 10;
                assertThat(tokensInSeconds[k]).as("step %d", step).isNotNegative();
            }
            if (random.nextInt(10) == 0) {
                int passed = random.nextInt(8);
                ticker.advance(Duration.ofSeconds(passed));
                Arrays.setAll(tokensInSeconds, i -> Math.min(30, tokensInSeconds[i] + passed));
            }
            if (random.nextInt(20) == 0) {
                tiny.sweep();
            }
            assertThat(tiny.usage().keys()).isLessThanOrEqualTo(8);
        }
    }

    private void fill() {
        for (int i = 0; i < MAX_KEYS; i++) {
            draw(i, 1);
        }
    }

    private int draw(int key, int times) {
        int sum = 0;
        for (int i = 0; i < times; i++) {
            sum += zone.acquire(key(key), limit, 1).admitted() ? 1 : 0;
        }
        admitted[key] += sum;
        return sum;
    }
}
