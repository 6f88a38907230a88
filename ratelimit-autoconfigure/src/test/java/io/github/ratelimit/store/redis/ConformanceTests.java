package io.github.ratelimit.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Concurrency;
import io.github.ratelimit.algorithm.FixedWindow;
import io.github.ratelimit.algorithm.LeakyBucket;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.algorithm.SlidingWindow;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.algorithm.TokenBucket;
import io.github.ratelimit.fixture.RedisServer;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.store.Demand;
import io.github.ratelimit.store.Reply;
import io.github.ratelimit.store.ZoneStore;
import io.github.ratelimit.store.local.LocalStore;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same random timelines on Redis and in this JVM, at one clock that stands still: on each step both say the same.
 * Rates and times are such that neither has to round.
 */
class ConformanceTests {

    private static final RedisServer SERVER = RedisServer.start();
    private static final Stores.Clock CLOCK = new Stores.Clock(SERVER);
    private static final LocalStore LOCAL = new LocalStore(() -> CLOCK.micros() * 1000);
    private static @Nullable RedisStore redis;

    @BeforeAll
    static void connect() {
        redis = Stores.timed(SERVER);
    }

    @AfterAll
    static void close() {
        store().close();
        LOCAL.close();
        CLOCK.close();
        SERVER.close();
    }

    private static RedisStore store() {
        return Objects.requireNonNull(redis);
    }

    static Stream<Algorithm> algorithms() {
        return Stream.of(
                TokenBucket.of(Rate.parse("10/s"), 20),
                TokenBucket.of(Rate.parse("2000/s"), 5),
                TokenBucket.of(Rate.parse("5/8s"), 1),
                TokenBucket.of(Rate.parse("1000000/s"), 1000),
                LeakyBucket.of(Rate.parse("10/s"), 6, 2),
                LeakyBucket.of(Rate.parse("100/s"), 0, 0),
                FixedWindow.of(Rate.parse("10/8192ms")),
                FixedWindow.of(Rate.parse("3/1024ms")),
                SlidingWindow.of(Rate.parse("10/8192ms")),
                SlidingWindow.of(Rate.parse("100/1024ms")),
                new Concurrency(3));
    }

    @ParameterizedTest
    @MethodSource("algorithms")
    void acquireWhenTimelineIsRandomThenRedisSaysWhatTheJvmSays(Algorithm algorithm) {
        for (int seed = 0; seed < 12; seed++) {
            new Timeline(algorithm, seed).live(60);
        }
    }

    private static final class Timeline {

        private final Random random;
        private final Algorithm algorithm;
        private final String zone;
        private final RateLimitKey key;
        private final ZoneStore local;
        private final Deque<Draw> held = new ArrayDeque<>();
        private String last = "begin";

        private record Draw(Demand demand, Reply reply, Step step) {}

        Timeline(Algorithm algorithm, int seed) {
            this.random = new Random(seed);
            this.algorithm = algorithm;
            this.zone = algorithm + "#" + seed;
            this.key = RateLimitKey.ofText("k" + seed);
            this.local = LOCAL.zone(zone, 10, true);
        }

        void live(int steps) {
            for (int i = 0; i < steps; i++) {
                step(i);
                if (random.nextInt(3) > 0) {
                    pass();
                }
            }
        }

        private void step(int i) {
            long cost = random.nextInt(4) == 0 ? 1 + random.nextLong(algorithm.limit() + 1) : 1;
            Demand demand = new Demand(zone, key, algorithm, cost, true, 1);
            int choice = random.nextInt(10);
            Draw draw = held.peekLast();
            last = "step " + i + " choice " + choice + " cost " + cost;
            if (choice < 6 || draw == null) {
                Reply reply = store().acquire(List.of(demand)).get(0);
                Step step = local.acquire(key, algorithm, cost);
                compare(reply.step(), step);
                if (step.admitted()) {
                    held.add(new Draw(demand, reply, step));
                }
            } else if (choice < 8) {
                compare(store().peek(List.of(demand)).get(0).step(), local.peek(key, algorithm, cost));
            } else if (choice == 8 || algorithm instanceof Concurrency) {
                held.removeLast();
                store().refund(draw.demand(), draw.reply());
                local.refund(key, algorithm, draw.demand().cost(), draw.step());
                settle();
            } else {
                store().charge(demand, draw.reply());
                local.charge(key, algorithm, cost, draw.step());
                settle();
            }
        }

        /** What nobody waits for is done before the next that somebody waits for. */
        private void settle() {
            store().peek(List.of(new Demand(zone, RateLimitKey.ofText("other"), algorithm, 1, true, 1)));
        }

        /** Refills of a permit and more, in steps that both stores count exactly. */
        private void pass() {
            long fill = Math.max(512, algorithm.fillNanos() / 1000);
            long step = random.nextBoolean() ? random.nextLong(fill / 4 + 1) : random.nextLong(3 * fill);
            CLOCK.advance(step / 512 * 512);
            settle();
        }

        private void compare(Step said, Step expected) {
            assertThat(said.verdict())
                    .as(this + " verdict of " + said + " and " + expected)
                    .isEqualTo(expected.verdict());
            assertThat(said.remaining()).as(this + " remaining").isEqualTo(expected.remaining());
            assertThat(said.delayNanos()).as(this + " delay").isEqualTo(expected.delayNanos());
            assertThat(said.resetNanos())
                    .as(this + " reset")
                    .isBetween(expected.resetNanos(), expected.resetNanos() + 1000);
            if (expected.retryNanos() == Step.NEVER) {
                assertThat(said.retryNanos()).as(this + " retry").isEqualTo(Step.NEVER);
            } else {
                assertThat(said.retryNanos())
                        .as(this + " retry")
                        .isBetween(expected.retryNanos(), expected.retryNanos() + 1000);
            }
        }

        @Override
        public String toString() {
            return zone + ", " + last;
        }
    }
}
