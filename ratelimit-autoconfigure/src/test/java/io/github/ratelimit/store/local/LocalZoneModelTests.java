package io.github.ratelimit.store.local;

import static io.github.ratelimit.store.local.LocalZoneTests.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.store.local.Kind.Life;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Random timelines, replayed from their seed: a zone says on each step what a plain model says. */
class LocalZoneModelTests {

    private static final RateLimitKey KEY = key(1);
    private static final long SECOND = 1_000_000_000;
    private static final long DAY = TimeUnit.DAYS.toNanos(1);
    private static final long[] STARTS = {
        0, -DAY, 4 * 366 * DAY, Long.MAX_VALUE / 7 - DAY, Long.MAX_VALUE / 64 - DAY, Long.MAX_VALUE - DAY
    };

    private final ManualTicker ticker = new ManualTicker();
    private final LocalZone zone = new LocalZone(10, true, ticker);

    @ParameterizedTest
    @EnumSource
    void zoneWhenTimelineIsRandomThenAgreesWithModelOnEachStep(Kind kind) {
        for (int seed = 0; seed < 10_000; seed++) {
            new Timeline(kind, seed).live(20);
        }
    }

    @ParameterizedTest
    @EnumSource(names = "CONCURRENCY", mode = Mode.EXCLUDE)
    void acquireWhenWaitedExactlyRetryThenIsAdmittedAndNotANanosecondEarlier(Kind kind) {
        for (int seed = 0; seed < 1_000; seed++) {
            Timeline timeline = new Timeline(kind, seed);
            Step refused = timeline.liveUntilRefused();
            timeline.pass(refused.retryNanos() - 1);
            assertThat(timeline.peek().admitted()).as("%s, early", timeline).isFalse();
            timeline.pass(1);
            assertThat(timeline.acquire().admitted())
                    .as("%s, in time", timeline)
                    .isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(names = "CONCURRENCY", mode = Mode.EXCLUDE)
    void acquireWhenWaitedWholeSecondsThenIsAdmitted(Kind kind) {
        for (int seed = 0; seed < 1_000; seed++) {
            Timeline timeline = new Timeline(kind, seed);
            Step refused = timeline.liveUntilRefused();
            timeline.pass((refused.retryNanos() + SECOND - 1) / SECOND * SECOND);
            assertThat(timeline.acquire().admitted()).as("%s", timeline).isTrue();
        }
    }

    /** One key's life: draws, looks, settlements and sweeps, at the edges of time and quota more than elsewhere. */
    private final class Timeline {

        private final Random random;
        private final Kind kind;
        private final int seed;
        private final Algorithm algorithm;
        private final Life life;
        private long at;
        private long cost;
        private long paid;
        private Step said;
        private Step drawn;

        Timeline(Kind kind, int seed) {
            this.random = new Random(seed);
            this.kind = kind;
            this.seed = seed;
            this.life = kind.life(random);
            this.algorithm = life.algorithm();
            zone.refund(KEY, algorithm, Long.MAX_VALUE, new Step(Step.Verdict.ADMITTED, 0, 0, 0, 0));
            zone.forget(KEY);
            ticker.advanceNanos(STARTS[random.nextInt(STARTS.length)] - ticker.read());
            this.said = zone.peek(KEY, algorithm, 0);
            this.drawn = said;
        }

        void live(int steps) {
            for (int i = 0; i < steps; i++) {
                pass(time());
                settle();
                cost = cost();
                Step look = peek();
                Step step = acquire();
                assertThat(step)
                        .as("%s, step %d", this, i)
                        .isEqualTo(life.reference().acquire(cost, at));
                assertThat(look).as("%s, step %d, look", this, i).isEqualTo(step);
            }
        }

        /** Lives on until a draw is refused that will be admitted later. */
        Step liveUntilRefused() {
            live(random.nextInt(10));
            cost = 1 + random.nextLong(algorithm.limit());
            pass(random.nextLong(spanNanos()));
            while (acquire().admitted()) {
                cost = Math.max(1, said.remaining() - random.nextInt(3));
            }
            return said;
        }

        void pass(long nanos) {
            at += nanos;
            ticker.advanceNanos(nanos);
        }

        Step peek() {
            return zone.peek(KEY, algorithm, cost);
        }

        Step acquire() {
            said = zone.acquire(KEY, algorithm, cost);
            if (said.admitted()) {
                paid += cost;
                drawn = said;
            }
            return said;
        }

        private long time() {
            long interval = Math.max(2, spanNanos() / algorithm.limit());
            boolean refused = said.retryNanos() != 0 && said.retryNanos() != Step.NEVER;
            return switch (random.nextInt(10)) {
                case 0, 1, 2 -> 0;
                case 3 -> random.nextLong(interval);
                case 4 -> random.nextLong(3 * interval);
                case 5 -> refused ? said.retryNanos() : 1;
                case 6 -> refused ? said.retryNanos() - 1 : 1;
                case 7 -> said.resetNanos();
                case 8 -> Math.max(0, said.resetNanos() - 1);
                default -> random.nextInt(20) == 0 ? leap() : random.nextLong(spanNanos());
            };
        }

        /** Time in which something happens; a second where no time brings anything back. */
        private long spanNanos() {
            return algorithm.fillNanos() == 0 ? 1_000_000_000L : algorithm.fillNanos();
        }

        /** A state does not lie unread for longer than the sweeper takes. */
        private long leap() {
            pass(200 * DAY);
            zone.sweep();
            return 200 * DAY;
        }

        private long cost() {
            long limit = algorithm.limit();
            return switch (random.nextInt(8)) {
                case 0 -> random.nextLong(limit + 2);
                case 1 -> said.remaining();
                case 2 -> said.remaining() + 1;
                default -> 1 + random.nextLong(Math.min(limit, 3));
            };
        }

        private void settle() {
            if (random.nextInt(6) == 0) {
                zone.sweep();
            }
            if (paid > 0 && random.nextInt(4) == 0) {
                long back = random.nextInt(4) == 0 ? paid : 1 + random.nextLong(Math.min(paid, 5));
                paid -= back;
                zone.refund(KEY, algorithm, back, drawn);
                life.reference().refund(back, at);
            } else if (drawn != said && kind != Kind.CONCURRENCY && random.nextInt(12) == 0) {
                long more = random.nextLong(random.nextBoolean() ? 4 : 5 * algorithm.limit());
                paid += more;
                zone.charge(KEY, algorithm, more, drawn);
                life.reference().charge(more, at);
            }
        }

        @Override
        public String toString() {
            return "%s, seed %d, %s, limit %d, cost %d, at %d"
                    .formatted(kind, seed, algorithm.rate(), algorithm.limit(), cost, at);
        }
    }
}
