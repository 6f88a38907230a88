package io.github.ratelimit.store.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.algorithm.TokenBucket;
import io.github.ratelimit.key.RateLimitKey;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** How often a zone looks at all of its keys: whoever asks it something, or draws, must not pay for the others. */
class WalkTests {

    private static final int KEYS = 1_000;

    private final Algorithm slow = TokenBucket.of(Rate.parse("1/s"), 5);
    private final ManualTicker ticker = new ManualTicker();
    private final Walked cells = new Walked();
    private final LocalZone zone = new LocalZone(KEYS, true, ticker, cells);

    @Test
    void usageAndPeekThenWalkNoKeys() {
        fill();
        assertThat(zone.usage().keys()).isEqualTo(KEYS);
        zone.peek(key(1), slow, 1);
        zone.peek(RateLimitKey.ofText("newcomer"), slow, 1);
        assertThat(cells.walks).isZero();
    }

    @Test
    void drawsWhenTheZoneIsFullThenWalkNoKeys() {
        fill();
        Step known = zone.acquire(key(1), slow, 1);
        Step shared = zone.acquire(RateLimitKey.ofText("newcomer"), slow, 1);
        zone.charge(key(1), slow, 1, known);
        zone.refund(key(1), slow, 1, known);
        zone.refund(RateLimitKey.ofText("newcomer"), slow, 1, shared);
        zone.acquire(key(2), TokenBucket.of(Rate.parse("2/s"), 9), 1);
        zone.forget(key(3));
        assertThat(zone.usage().keys()).isEqualTo(KEYS - 1);
        assertThat(cells.walks).isZero();
    }

    @Test
    void sweepThenWalksOnce() {
        fill();
        ticker.advance(Duration.ofMinutes(1));
        zone.sweep();
        assertThat(zone.usage().keys()).isZero();
        assertThat(cells.walks).isOne();
    }

    @Test
    void drawsWhenRefusedForWantOfRoomThenTheSweeperLooksForAllOfThem() {
        fill();
        zone.configure(KEYS, false);
        for (int i = 0; i < 100; i++) {
            zone.acquire(RateLimitKey.ofText("newcomer" + i), slow, 1);
        }
        assertThat(cells.walks).isOne();
        for (int sweep = 1; sweep <= 3; sweep++) {
            ticker.advanceNanos(LocalStore.SWEEP_NANOS);
            zone.sweep();
            cells.walks = 0;
            for (int i = 0; i < 100; i++) {
                zone.acquire(RateLimitKey.ofText("newcomer" + i), slow, 1);
            }
            assertThat(cells.walks).isZero();
        }
    }

    private void fill() {
        for (int i = 0; i < KEYS; i++) {
            zone.acquire(key(i), slow, 1);
        }
    }

    private static RateLimitKey key(int number) {
        return RateLimitKey.ofText("key-" + number);
    }

    /** Counts what leads to all of its entries. */
    private static final class Walked extends ConcurrentHashMap<RateLimitKey, Cell> {

        private static final long serialVersionUID = 1;

        private int walks;

        @Override
        public void forEach(BiConsumer<? super RateLimitKey, ? super Cell> action) {
            walks++;
            super.forEach(action);
        }

        @Override
        public Set<Map.Entry<RateLimitKey, Cell>> entrySet() {
            walks++;
            return super.entrySet();
        }

        @Override
        public KeySetView<RateLimitKey, Cell> keySet() {
            walks++;
            return super.keySet();
        }

        @Override
        public Collection<Cell> values() {
            walks++;
            return super.values();
        }

        @Override
        public int size() {
            walks++;
            return super.size();
        }
    }
}
