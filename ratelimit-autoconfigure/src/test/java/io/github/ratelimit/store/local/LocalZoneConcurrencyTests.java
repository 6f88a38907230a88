package io.github.ratelimit.store.local;

import static io.github.ratelimit.store.local.LocalZoneTests.key;
import static io.github.ratelimit.store.local.LocalZoneTests.limit;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.algorithm.Algorithm;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LocalZoneConcurrencyTests {

    private final ManualTicker ticker = new ManualTicker();
    private final Crowd crowd = new Crowd(64);

    @AfterEach
    void dismiss() {
        crowd.close();
    }

    @Test
    void acquireWhenReleasedAtOnceOnANewKeyThenAdmitsExactlyBurst() throws Exception {
        LocalZone zone = new LocalZone(1_000, true, ticker);
        Algorithm limit = limit("10/m", 10);
        for (int round = 0; round < 20; round++) {
            int key = round;
            assertThat(crowd.sum(200, i -> draw(zone, key, limit))).isEqualTo(10);
        }
    }

    @Test
    void acquireWhenSweptMeanwhileThenAdmitsExactlyBurst() throws Exception {
        LocalZone zone = new LocalZone(1_000, true, ticker);
        Algorithm limit = limit("10/m", 10);
        for (int round = 0; round < 200; round++) {
            assertThat(crowd.sum(256, i -> {
                        if (i % 3 == 0) {
                            zone.sweep();
                        }
                        return draw(zone, 1, limit);
                    }))
                    .isEqualTo(10);
            ticker.advance(Duration.ofMinutes(1));
        }
        assertThat(zone.usage().keys()).isEqualTo(1);
    }

    @Test
    void acquireWhenUnitsChangeMeanwhileThenNeverAdmitsMoreThanBurst() throws Exception {
        LocalZone zone = new LocalZone(1_000, true, ticker);
        Algorithm[] limits = {limit("10/m", 10), limit("7/3m", 10), limit("13/17m", 10), limit("1/d", 10)};
        for (int round = 0; round < 200; round++) {
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

    @Test
    void acquireWhenZoneFillsAndEmptiesMeanwhileThenNoKeyGetsMoreThanBurst() throws Exception {
        Algorithm limit = limit("5/m", 5);
        for (int round = 0; round < 100; round++) {
            LocalZone zone = new LocalZone(2, true, ticker);
            AtomicIntegerArray admitted = new AtomicIntegerArray(8);
            crowd.sum(1_024, i -> {
                int key = i * 31 % 8;
                // only keys that are never counted leave: they make room in the middle of the others' draws
                if (key >= 6) {
                    zone.acquire(key(100 + i), limit, 1);
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
