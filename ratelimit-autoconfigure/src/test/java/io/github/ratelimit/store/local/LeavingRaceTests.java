package io.github.ratelimit.store.local;

import static io.github.ratelimit.store.local.LocalZoneTests.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.algorithm.Algorithm;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Two requests of one newcomer, and room that returns between the look for it and the draw of the first. */
class LeavingRaceTests {

    @ParameterizedTest
    @EnumSource(names = "CONCURRENCY", mode = Mode.EXCLUDE)
    void acquireWhenRoomReturnsInTheMiddleThenItsKeyIsCountedInOnePlace(Kind kind) throws Exception {
        // the first request makes a bucket and draws from it, and reads the clock for each
        for (int reading = 1; reading <= 2; reading++) {
            Race race = new Race(kind.limit("5/m", 5), reading);
            race.draw(1);
            race.second.join();
            race.draw(10);
            assertThat(race.admitted).as("at reading %d", reading).hasValue(5);
        }
    }

    private static final class Race {

        private final Algorithm limit;
        private final int meeting;
        private final AtomicInteger reads = new AtomicInteger();
        private final AtomicInteger admitted = new AtomicInteger();
        private final LocalZone zone = new LocalZone(0, true, this::read);
        private final Thread second = new Thread(() -> draw(10));

        Race(Algorithm limit, int meeting) {
            this.limit = limit;
            this.meeting = meeting;
        }

        void draw(int times) {
            for (int i = 0; i < times; i++) {
                admitted.addAndGet(zone.acquire(key(1), limit, 1).admitted() ? 1 : 0);
            }
        }

        private long read() {
            if (reads.incrementAndGet() == meeting) {
                zone.configure(10, true);
                second.start();
                // it either waits for the first request or is done
                while (second.getState() != Thread.State.BLOCKED && second.isAlive()) {
                    Thread.onSpinWait();
                }
            }
            return 0;
        }
    }
}
