package io.github.ratelimit.store.local;

import static io.github.ratelimit.store.local.LocalZoneTests.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.algorithm.Algorithm;
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
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** A zone with more keys than room, for each kind of limit: its bound holds, and so does each key's limit. */
class CrowdedZoneTests {

    private static final int LIMIT = 5;

    private final ManualTicker ticker = new ManualTicker();
    private final List<Held> drawn = new ArrayList<>();
    private final int[] held = new int[6_000];

    /** What a key has drawn, and how. */
    private record Held(int key, int cost, Step step) {}

    @ParameterizedTest
    @EnumSource
    void acquireWhenFloodedThenBoundHoldsAndNoKeyGetsMoreThanItsLimit(Kind kind) {
        LocalZone zone = new LocalZone(1_000, true, ticker);
        Algorithm limit = kind.limit("5/10m", LIMIT);
        Random random = new Random(1);
        for (int i = 0; i < 30_000; i++) {
            acquire(zone, limit, random.nextInt(6_000), 1 + random.nextInt(2));
            assertThat(zone.usage().keys()).isLessThanOrEqualTo(1_000);
        }
        assertThat(Arrays.stream(held).max()).hasValue(LIMIT);
        assertThat(zone.usage().full()).isTrue();
        if (kind == Kind.CONCURRENCY) {
            drawn.forEach(draw -> release(zone, limit, draw));
        }
        ticker.advance(Duration.ofMinutes(20));
        zone.sweep();
        assertThat(zone.usage().keys()).isZero();
        for (int i = 0; i < 6_000; i++) {
            Step step = zone.acquire(key(i), limit, LIMIT);
            assertThat(step.verdict()).isEqualTo(Verdict.ADMITTED);
            zone.refund(key(i), limit, LIMIT, step);
            zone.sweep();
        }
    }

    /** Time stands still while others leave and make room. */
    @ParameterizedTest
    @EnumSource(names = "CONCURRENCY", mode = Mode.EXCLUDE)
    void acquireWhenRoomReturnsThenLeavingASharedBucketGivesNoFreeBurst(Kind kind) {
        LocalZone zone = new LocalZone(8, true, ticker);
        Algorithm limit = kind.limit("5/10m", LIMIT);
        Random random = new Random(2);
        boolean left = false;
        for (int round = 0; round < 200; round++) {
            int[] admitted = new int[20];
            boolean[] shared = new boolean[20];
            for (int i = 0; i < 200; i++) {
                zone.acquire(key(100 + random.nextInt(8)), limit, 1);
                if (random.nextInt(10) == 0) {
                    zone.forget(key(100 + random.nextInt(8)));
                }
                int key = random.nextInt(20);
                Step step = zone.acquire(key(key), limit, 1);
                admitted[key] += step.admitted() ? 1 : 0;
                left |= shared[key] && !step.foundNoRoom();
                shared[key] |= step.foundNoRoom();
                assertThat(admitted[key]).as("%s, round %d", kind, round).isLessThanOrEqualTo(LIMIT);
                assertThat(zone.usage().keys()).isLessThanOrEqualTo(8);
            }
            ticker.advance(Duration.ofMinutes(20));
            zone.sweep();
        }
        assertThat(left).isTrue();
    }

    /** A key's permits are all in its own cell or all in its shared bucket, wherever it, room and sweeps go. */
    @Test
    void acquireWhenConcurrentKeysMoveThenEachIsCountedInOnePlaceAndNoSlotLeaks() {
        LocalZone zone = new LocalZone(8, true, ticker);
        Algorithm limit = Kind.CONCURRENCY.limit("1/s", LIMIT);
        Random random = new Random(3);
        for (int i = 0; i < 200_000; i++) {
            int key = random.nextInt(30);
            if (random.nextInt(100) < 45) {
                Step step = acquire(zone, limit, key, 1 + random.nextInt(2));
                assertThat(held[key]).as("step %d", i).isLessThanOrEqualTo(LIMIT);
                if (!step.foundNoRoom()) {
                    assertThat(step.remaining()).as("step %d", i).isEqualTo(LIMIT - held[key]);
                }
            } else if (!drawn.isEmpty()) {
                release(zone, limit, drawn.remove(random.nextInt(drawn.size())));
            }
            switch (random.nextInt(40)) {
                case 0 -> zone.sweep();
                case 1 -> zone.forget(key(key));
                case 2 -> zone.configure(random.nextInt(16), true);
                default -> assertThat(zone.usage().keys()).isLessThanOrEqualTo(16);
            }
        }
        drawn.forEach(draw -> release(zone, limit, draw));
        zone.configure(100, true);
        zone.sweep();
        assertThat(zone.usage().keys()).isZero();
        for (int key = 0; key < 30; key++) {
            assertThat(zone.acquire(key(key), limit, LIMIT).verdict()).isEqualTo(Verdict.ADMITTED);
        }
    }

    @Test
    void peekWhenSharedBucketIsInUseThenSaysWhatADrawWould() {
        LocalZone zone = new LocalZone(0, true, ticker);
        Algorithm limit = Kind.CONCURRENCY.limit("1/s", LIMIT);
        Step shared = zone.acquire(key(1), limit, 2);
        assertThat(shared.verdict()).isEqualTo(Verdict.ADMITTED_SHARED);
        zone.configure(10, true);
        Step look = zone.peek(key(1), limit, 1);
        assertThat(look.verdict()).isEqualTo(Verdict.ADMITTED_SHARED);
        assertThat(zone.acquire(key(1), limit, 1)).isEqualTo(look);
        zone.configure(10, false);
        assertThat(zone.peek(key(1), limit, 1).verdict()).isEqualTo(Verdict.REFUSED_FULL);
        assertThat(zone.acquire(key(1), limit, 1).verdict()).isEqualTo(Verdict.REFUSED_FULL);
        zone.refund(key(1), limit, 3, shared);
        assertThat(zone.peek(key(1), limit, 1).verdict()).isEqualTo(Verdict.ADMITTED);
        assertThat(zone.acquire(key(1), limit, LIMIT).verdict()).isEqualTo(Verdict.ADMITTED);
    }

    @Test
    void forgetWhenPermitsAreInUseThenTheyStayCounted() {
        LocalZone zone = new LocalZone(10, true, ticker);
        Algorithm limit = Kind.CONCURRENCY.limit("1/s", LIMIT);
        Step step = zone.acquire(key(1), limit, 3);
        zone.forget(key(1));
        assertThat(zone.peek(key(1), limit, 0).remaining()).isEqualTo(2);
        zone.refund(key(1), limit, 3, step);
        zone.forget(key(1));
        assertThat(zone.usage().keys()).isZero();
    }

    /** A debt is paid before the next admission, though there is no room to remember the key. */
    @ParameterizedTest
    @EnumSource(names = "CONCURRENCY", mode = Mode.EXCLUDE)
    void chargeWhenOwnStateIsGoneAndZoneIsFullThenTheSharedBucketOwes(Kind kind) {
        LocalZone zone = new LocalZone(1, true, ticker);
        Algorithm limit = kind.limit("5/10m", LIMIT);
        Step step = zone.acquire(key(1), limit, 1);
        ticker.advance(Duration.ofMinutes(20));
        zone.sweep();
        zone.acquire(key(2), limit, 1);
        zone.charge(key(1), limit, 7, step);
        assertThat(zone.acquire(key(1), limit, 1).verdict()).isEqualTo(Verdict.REFUSED_SHARED);
        zone.configure(10, true);
        assertThat(zone.acquire(key(1), limit, 1).verdict()).isEqualTo(Verdict.REFUSED);
    }

    @ParameterizedTest
    @EnumSource(names = "CONCURRENCY", mode = Mode.EXCLUDE)
    void chargeWhenOwnStateIsGoneThenTheKeyIsKnownAgain(Kind kind) {
        LocalZone zone = new LocalZone(10, true, ticker);
        Algorithm limit = kind.limit("5/10m", LIMIT);
        Step step = zone.acquire(key(1), limit, 1);
        ticker.advance(Duration.ofMinutes(20));
        zone.sweep();
        zone.charge(key(1), limit, 7, step);
        assertThat(zone.usage().keys()).isEqualTo(1);
        assertThat(zone.acquire(key(1), limit, 1).admitted()).isFalse();
    }

    private Step acquire(LocalZone zone, Algorithm limit, int key, int cost) {
        Step step = zone.acquire(key(key), limit, cost);
        if (step.admitted()) {
            held[key] += cost;
            drawn.add(new Held(key, cost, step));
        }
        return step;
    }

    private void release(LocalZone zone, Algorithm limit, Held draw) {
        held[draw.key] -= draw.cost;
        zone.refund(key(draw.key), limit, draw.cost, draw.step);
    }
}
