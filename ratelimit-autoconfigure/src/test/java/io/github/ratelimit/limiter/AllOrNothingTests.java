package io.github.ratelimit.limiter;

import static io.github.ratelimit.limiter.Zones.charge;
import static io.github.ratelimit.limiter.Zones.zone;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.Decision.Outcome;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Concurrency;
import io.github.ratelimit.algorithm.FixedWindow;
import io.github.ratelimit.algorithm.LeakyBucket;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.algorithm.SlidingWindow;
import io.github.ratelimit.algorithm.TokenBucket;
import io.github.ratelimit.policy.Zone;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Many threads race for two zones of every kind: who is refused by one has drawn nothing from the other. */
class AllOrNothingTests {

    private static final int THREADS = 16;
    private static final int TIMES = 8;
    private static final ExecutorService executor = Executors.newFixedThreadPool(THREADS);

    @AfterAll
    static void dismiss() {
        executor.shutdownNow();
    }

    static Stream<Arguments> pairs() {
        return algorithms(7).flatMap(scarce -> algorithms(1_000).map(ample -> Arguments.of(scarce, ample)));
    }

    private static Stream<Algorithm> algorithms(int permits) {
        Rate rate = Rate.parse(permits + "/d");
        return Stream.of(
                TokenBucket.of(rate, permits),
                LeakyBucket.of(rate, permits - 1, 0),
                FixedWindow.of(rate),
                SlidingWindow.of(rate),
                new Concurrency(permits));
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void acquireWhenManyThreadsRaceThenRefusedOnesChargeNothing(Algorithm few, Algorithm many) throws Exception {
        Zone scarce = zone("scarce", few);
        Zone ample = zone("ample", many);
        for (int round = 0; round < 10; round++) {
            Zones fresh = new Zones();
            List<Charge> charges =
                    round % 2 == 0 ? List.of(charge(scarce), charge(ample)) : List.of(charge(ample), charge(scarce));
            assertThat(race(fresh.limiter, charges)).isEqualTo(7);
            assertThat(fresh.left(scarce)).isZero();
            assertThat(fresh.left(ample)).isEqualTo(993);
            ZoneStatistics first = fresh.limiter.statistics(scarce);
            assertThat(first.count(Outcome.PERMITTED) + first.count(Outcome.DELAYED))
                    .isEqualTo(7);
            assertThat(first.count(Outcome.REJECTED)).isEqualTo(THREADS * TIMES - 7);
            ZoneStatistics second = fresh.limiter.statistics(ample);
            assertThat(second.count(Outcome.PERMITTED) + second.count(Outcome.DELAYED))
                    .isEqualTo(7);
            assertThat(second.count(Outcome.REJECTED)).isZero();
            fresh.close();
        }
    }

    /** The last permit goes to another request between the look and the draw. */
    @Test
    void acquireWhenLostAfterTheLookThenGivesBackWhatWasDrawn() {
        Zones zones = new Zones();
        Zone scarce = zone("scarce", algorithms(1).findFirst().orElseThrow());
        algorithms(1_000).forEach(many -> {
            Zone ample = zone(many.name(), many);
            List<Charge> both = List.of(charge(ample), charge(scarce));
            zones.beforeDraw(scarce, () -> zones.limiter.acquire(List.of(charge(scarce))));
            Ruling ruling = Objects.requireNonNull(zones.limiter.acquire(both));
            assertThat(ruling.decision().permitted()).isFalse();
            assertThat(ruling.draws()).isEmpty();
            assertThat(zones.left(ample)).as(many.name()).isEqualTo(1_000);
            zones.advance(Duration.ofDays(1));
        });
        zones.close();
    }

    private static int race(RateLimiter limiter, List<Charge> charges) throws Exception {
        CyclicBarrier start = new CyclicBarrier(THREADS);
        List<Future<Integer>> parts = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            parts.add(executor.submit(() -> {
                start.await();
                int admitted = 0;
                for (int i = 0; i < TIMES; i++) {
                    Ruling ruling = Objects.requireNonNull(limiter.acquire(charges));
                    admitted += ruling.decision().permitted() ? 1 : 0;
                }
                return admitted;
            }));
        }
        int admitted = 0;
        for (Future<Integer> part : parts) {
            admitted += part.get();
        }
        return admitted;
    }
}
