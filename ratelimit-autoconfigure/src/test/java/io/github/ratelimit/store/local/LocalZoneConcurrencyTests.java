package io.github.ratelimit.store.local;

import static io.github.ratelimit.store.local.LocalZoneTests.key;
import static io.github.ratelimit.store.local.LocalZoneTests.limit;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Step;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

class LocalZoneConcurrencyTests {

    private final ManualTicker ticker = new ManualTicker();
    private final Crowd crowd = new Crowd(64);

    @AfterEach
    void dismiss() {
        crowd.close();
    }

    @ParameterizedTest
    @EnumSource
    void acquireWhenReleasedAtOnceOnANewKeyThenAdmitsExactlyItsLimit(Kind kind) throws Exception {
        LocalZone zone = new LocalZone(1_000, true, ticker);
        Algorithm limit = kind.limit("10/m", 10);
        for (int round = 0; round < 20; round++) {
            int key = round;
            assertThat(crowd.sum(200, i -> draw(zone, key, limit))).isEqualTo(10);
        }
    }

    @ParameterizedTest
    @EnumSource(names = "CONCURRENCY", mode = Mode.EXCLUDE)
    void acquireWhenSweptMeanwhileThenAdmitsExactlyItsLimit(Kind kind) throws Exception {
        LocalZone zone = new LocalZone(1_000, true, ticker);
        Algorithm limit = kind.limit("10/m", 10);
        for (int round = 0; round < 40; round++) {
            assertThat(crowd.sum(256, i -> {
                        if (i % 3 == 0) {
                            zone.sweep();
                        }
                        return draw(zone, 1, limit);
                    }))
                    .isEqualTo(10);
            ticker.advance(Duration.ofMinutes(2));
        }
        assertThat(zone.usage().keys()).isEqualTo(1);
    }

    /** Of any kind: at the same moment ten permits are ten. */
    @Test
    void acquireWhenKindChangesMeanwhileThenAdmitsExactlyItsLimit() throws Exception {
        LocalZone zone = new LocalZone(1_000, true, ticker);
        Algorithm[] limits = {
            Kind.TOKEN_BUCKET.limit("10/m", 10),
            Kind.LEAKY_BUCKET.limit("10/m", 10),
            Kind.FIXED_WINDOW.limit("10/m", 10),
            Kind.SLIDING_WINDOW.limit("10/m", 10)
        };
        for (int round = 0; round < 80; round++) {
            int key = round;
            assertThat(crowd.sum(256, i -> {
                        if (i % 5 == 0) {
                            zone.sweep();
                        }
                        return draw(zone, key, limits[i % limits.length]);
                    }))
                    .isEqualTo(10);
        }
    }

    /** A window that ends, or permits that come back, in the middle of many draws. */
    @ParameterizedTest
    @EnumSource(names = "CONCURRENCY", mode = Mode.EXCLUDE)
    void acquireWhenTimePassesMeanwhileThenAdmitsNoMoreThanThatTimeAllows(Kind kind) throws Exception {
        Algorithm limit = kind.limit("10/m", 10);
        for (int round = 0; round < 40; round++) {
            LocalZone zone = new LocalZone(1_000, true, ticker);
            int sum = crowd.sum(512, i -> {
                if (i % 32 == 0) {
                    ticker.advance(Duration.ofSeconds(20));
                    zone.sweep();
                }
                return draw(zone, 1, limit);
            });
            // 16 times 20 seconds, and what is there at first
            assertThat(sum).isBetween(10, 10 + 53);
        }
    }

    @ParameterizedTest
    @EnumSource(names = "CONCURRENCY", mode = Mode.EXCLUDE)
    void settleWhenManyThreadsDoThenEveryPermitIsAccountedFor(Kind kind) throws Exception {
        Algorithm limit = kind.limit("100/m", 100);
        for (int round = 0; round < 25; round++) {
            LocalZone zone = new LocalZone(1_000, true, ticker);
            Step drawn = zone.acquire(key(1), limit, 1);
            int sum = crowd.sum(640, i -> {
                if (i % 10 == 0) {
                    zone.sweep();
                }
                zone.charge(key(1), limit, 3, drawn);
                int back = i % 2 == 0 ? 3 : 2;
                zone.refund(key(1), limit, back, drawn);
                return 3 - back;
            });
            assertThat(sum).isEqualTo(320);
            assertThat(zone.acquire(key(1), limit, 1).admitted()).isFalse();
            // 321 are drawn
            zone.refund(key(1), limit, 261, drawn);
            assertThat(zone.peek(key(1), limit, 0).remaining()).isEqualTo(40);
        }
    }

    /** Keys go to and fro between their own state and shared buckets while their requests run. */
    @Test
    void acquireWhenConcurrentKeysMoveMeanwhileThenNeverMoreThanLimitInFlightAndNoSlotLeaks() throws Exception {
        Algorithm limit = Kind.CONCURRENCY.limit("1/s", 3);
        for (int round = 0; round < 25; round++) {
            LocalZone zone = new LocalZone(4, true, ticker);
            AtomicIntegerArray inFlight = new AtomicIntegerArray(8);
            AtomicInteger most = new AtomicInteger();
            crowd.sum(4_096, i -> {
                int key = i * 31 % 8;
                Step step = zone.acquire(key(key), limit, 1);
                if (step.admitted()) {
                    most.accumulateAndGet(inFlight.incrementAndGet(key), Math::max);
                    switch (i % 16) {
                        case 0 -> zone.configure(i / 16 % 8, true);
                        case 1 -> zone.sweep();
                        case 2 -> zone.forget(key(key));
                        default -> Thread.yield();
                    }
                    inFlight.decrementAndGet(key);
                    zone.refund(key(key), limit, 1, step);
                }
                return 0;
            });
            assertThat(most.get()).isBetween(1, 3);
            zone.configure(100, true);
            zone.sweep();
            assertThat(zone.usage().keys()).isZero();
            for (int key = 0; key < 8; key++) {
                assertThat(zone.acquire(key(key), limit, 3).verdict()).isEqualTo(Step.Verdict.ADMITTED);
            }
        }
    }

    @Test
    void acquireWhenUnitsChangeMeanwhileThenNeverAdmitsMoreThanBurst() throws Exception {
        LocalZone zone = new LocalZone(1_000, true, ticker);
        Algorithm[] limits = {limit("10/m", 10), limit("7/3m", 10), limit("13/17m", 10), limit("1/d", 10)};
        for (int round = 0; round < 80; round++) {
            int sum = crowd.sum(256, i -> {
                if (i % 5 == 0) {
                    zone.sweep();
                }
                return draw(zone, 1, limits[i % limits.length]);
            });
            // each change rounds up by less than a unit, which at the end may cost one permit
            assertThat(sum).isBetween(9, 10);
            ticker.advance(Duration.ofDays(10));
        }
    }

    @ParameterizedTest
    @EnumSource
    void acquireWhenZoneFillsAndEmptiesMeanwhileThenNoKeyGetsMoreThanItsLimit(Kind kind) throws Exception {
        Algorithm limit = kind.limit("5/m", 5);
        for (int round = 0; round < 25; round++) {
            LocalZone zone = new LocalZone(2, true, ticker);
            AtomicIntegerArray admitted = new AtomicIntegerArray(8);
            crowd.sum(1_024, i -> {
                int key = i * 31 % 8;
                // only keys that are never counted leave: they make room in the middle of the others' draws
                if (key >= 6) {
                    Step step = zone.acquire(key(100 + i), limit, 1);
                    if (step.admitted()) {
                        zone.refund(key(100 + i), limit, 1, step);
                    }
                    zone.forget(key(100 + i));
                }
                assertThat(zone.usage().keys()).isLessThanOrEqualTo(2);
                return admitted.addAndGet(key, draw(zone, key, limit));
            });
            for (int key = 0; key < 8; key++) {
                assertThat(admitted.get(key)).isLessThanOrEqualTo(5);
            }
        }
    }

    private static int draw(LocalZone zone, int key, Algorithm limit) {
        return zone.acquire(key(key), limit, 1).admitted() ? 1 : 0;
    }
}
