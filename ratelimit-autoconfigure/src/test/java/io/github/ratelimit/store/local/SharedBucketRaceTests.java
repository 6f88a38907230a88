package io.github.ratelimit.store.local;

import static io.github.ratelimit.store.local.LocalZoneTests.key;
import static io.github.ratelimit.store.local.LocalZoneTests.limit;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Step;
import org.junit.jupiter.api.Test;

/**
 * What another thread does in the middle of a draw, made certain: the clock stands still, and each reading of it is a
 * place where that thread may step in.
 */
class SharedBucketRaceTests {

    private final Algorithm limit = limit("5/d", 5);
    private int readings;
    private int stepInAt;
    private Runnable other = () -> {};
    private final LocalZone zone = new LocalZone(1, true, this::read);

    @Test
    void acquireWhenKeyDrawsFromItsBucketWhileMovingOutThenThatComesAlong() {
        boolean metInBucket = false;
        for (int reading = 1; reading <= 8; reading++) {
            Drawn drawn = new Drawn();
            fillAndEmptyAgain();
            stepIn(reading, drawn::draw);
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
            stepIn(reading, () -> {
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
        other = () -> {};
        zone.configure(1, true);
        zone.forget(key(1));
        zone.forget(key(99));
        zone.acquire(key(99), limit, 1);
        zone.refund(key(1), limit, 5, zone.acquire(key(1), limit, 1));
        zone.forget(key(99));
    }

    private void stepIn(int reading, Runnable other) {
        this.readings = 0;
        this.stepInAt = reading;
        this.other = other;
    }

    private long read() {
        if (++readings == stepInAt) {
            other.run();
        }
        return 0;
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
