package io.github.ratelimit.store.local;

import static io.github.ratelimit.store.local.LocalZoneTests.key;
import static io.github.ratelimit.store.local.LocalZoneTests.limit;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Step;
import org.junit.jupiter.api.Test;

/** A key that moves between its shared bucket and a cell of its own while another thread draws for it too. */
class SharedBucketRaceTests {

    private final Algorithm limit = limit("5/d", 5);
    private final SteppedTicker ticker = new SteppedTicker();
    private final LocalZone zone = new LocalZone(1, true, ticker);

    @Test
    void acquireWhenKeyDrawsFromItsBucketWhileMovingOutThenThatComesAlong() {
        boolean metInBucket = false;
        for (int reading = 1; reading <= 8; reading++) {
            Drawn drawn = new Drawn();
            fillAndEmptyAgain();
            ticker.stepInAt(reading, drawn::draw);
            drawn.draw();
            metInBucket |= drawn.shared > 0;
            drawn.drawAll();
            assertThat(drawn.admitted).as("reading %d", reading).isBetween(4, 5);
        }
        assertThat(metInBucket).isTrue();
    }

    @Test
    void acquireWhenKeyGetsRoomWhileDrawingFromItsBucketThenIsCountedOnce() {
        boolean metInCell = false;
        for (int reading = 1; reading <= 8; reading++) {
            Drawn drawn = new Drawn();
            fillAndEmptyAgain();
            zone.acquire(key(99), limit, 1);
            ticker.stepInAt(reading, () -> {
                zone.forget(key(99));
                drawn.draw();
            });
            drawn.draw();
            metInCell |= drawn.admitted > drawn.shared;
            zone.forget(key(99));
            drawn.drawAll();
            assertThat(drawn.admitted).as("reading %d", reading).isBetween(4, 5);
        }
        assertThat(metInCell).isTrue();
    }

    /** Leaves an empty zone whose shared buckets are in use. */
    private void fillAndEmptyAgain() {
        ticker.stepInAt(Integer.MAX_VALUE, () -> {});
        zone.forget(key(1));
        zone.forget(key(99));
        zone.acquire(key(99), limit, 1);
        zone.refund(key(1), limit, 5, zone.acquire(key(1), limit, 1));
        zone.forget(key(99));
    }

    /** What one key has drawn. */
    private final class Drawn {

        private int admitted;
        private int shared;

        void draw() {
            Step step = zone.acquire(key(1), limit, 1);
            admitted += step.admitted() ? 1 : 0;
            shared += step.verdict() == Step.Verdict.ADMITTED_SHARED ? 1 : 0;
        }

        void drawAll() {
            for (int i = 0; i < 10; i++) {
                draw();
            }
        }
    }
}
