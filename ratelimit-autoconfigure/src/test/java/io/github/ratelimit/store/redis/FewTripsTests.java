package io.github.ratelimit.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.FixedWindow;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.algorithm.SlidingWindow;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.algorithm.TokenBucket;
import io.github.ratelimit.fixture.RedisServer;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.store.Demand;
import io.github.ratelimit.store.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What need not be asked is not asked, and nobody gets more or less for it. */
class FewTripsTests {

    private static final RedisServer SERVER = RedisServer.start();
    private static final RateLimitKey KEY = RateLimitKey.ofText("alice");
    private static final TokenBucket SLOW = bucket("10/h", 10);
    private static final TokenBucket HOT = bucket("1000/h", 1000);

    private final RedisStore one = Stores.at(SERVER);
    private final RedisStore two = Stores.at(SERVER);

    @BeforeEach
    void awaitListening() {
        await().until(() -> SERVER.call(
                        redis -> redis.pubsubNumsub(Stores.PREFIX + "{refunds}").get(Stores.PREFIX + "{refunds}"))
                >= 2);
    }

    @AfterEach
    void close() {
        one.close();
        two.close();
        SERVER.call(redis -> redis.flushall());
    }

    @AfterAll
    static void stop() {
        SERVER.close();
    }

    static Stream<Algorithm> limits() {
        return Stream.of(SLOW, FixedWindow.of(Rate.parse("10/h")), SlidingWindow.of(Rate.parse("10/h")));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void acquireWhenRefusedThenItIsNotAskedAgain(Algorithm limit) {
        draw(one, limit, 10, 1);
        Reply refused = draw(one, limit, 1, 1);
        long before = SERVER.calls("evalsha");

        for (int i = 0; i < 1_000; i++) {
            Reply again = draw(one, limit, 1, 1);
            assertThat(again.asked()).isFalse();
            assertThat(again.step().verdict()).isEqualTo(Step.Verdict.REFUSED);
            assertThat(again.step().retryNanos())
                    .isLessThanOrEqualTo(refused.step().retryNanos());
        }

        assertThat(SERVER.calls("evalsha")).isEqualTo(before);
    }

    @Test
    void knownWhenRefusedBeforeThenSaysSoWithoutATripAndOtherwiseNothing() {
        assertThat(one.known(demand(SLOW, 1, 1))).isNull();
        draw(one, SLOW, 10, 1);
        Reply refused = draw(one, SLOW, 1, 1);
        long before = SERVER.calls("evalsha");
        Step known = Objects.requireNonNull(one.known(demand(SLOW, 1, 1)));
        assertThat(known.admitted()).isFalse();
        assertThat(known.retryNanos())
                .isPositive()
                .isLessThanOrEqualTo(refused.step().retryNanos());
        assertThat(SERVER.calls("evalsha")).isEqualTo(before);
    }

    @Test
    void acquireWhenAnAbuserGoesOnForSecondsThenEachWaitCostsTwoTripsAtMost() {
        TokenBucket limit = bucket("1/s", 1);
        draw(one, limit, 1, 1);
        long before = SERVER.calls("evalsha");
        long end = System.nanoTime() + Duration.ofMillis(3_500).toNanos();
        int admitted = 0;
        int requests = 0;
        while (System.nanoTime() - end < 0) {
            admitted += draw(one, limit, 1, 1).step().admitted() ? 1 : 0;
            requests++;
        }

        assertThat(requests).isGreaterThan(10_000);
        assertThat(admitted).isEqualTo(3);
        assertThat(SERVER.calls("evalsha") - before).isLessThanOrEqualTo(2 * 4);
    }

    @ParameterizedTest
    @MethodSource("limits")
    void acquireWhenAnotherInstanceGivesBackThenItIsLearntWithinASecond(Algorithm limit) {
        Reply drawn = draw(two, limit, 10, 1);
        assertThat(draw(one, limit, 1, 1).step().admitted()).isFalse();

        two.refund(demand(limit, 1, 1), drawn);

        await().atMost(Duration.ofSeconds(1))
                .until(() -> draw(one, limit, 1, 1).step().admitted());
    }

    @Test
    void acquireWhenThisInstanceGivesBackThenItIsLearntAtOnce() {
        Reply drawn = draw(one, SLOW, 10, 1);
        assertThat(draw(one, SLOW, 1, 1).step().admitted()).isFalse();

        one.refund(demand(SLOW, 1, 1), drawn);

        assertThat(draw(one, SLOW, 1, 1).step().admitted()).isTrue();
    }

    @Test
    void acquireWhenAnotherInstanceForgetsThenItIsLearntWithinASecond() {
        draw(one, SLOW, 10, 1);
        assertThat(draw(one, SLOW, 1, 1).step().admitted()).isFalse();

        two.forget("z", KEY);

        await().atMost(Duration.ofSeconds(1))
                .until(() -> draw(one, SLOW, 1, 1).step().admitted());
    }

    @Test
    void acquireWhenTheLimitIsRaisedThenOldRefusalsDoNotCount() {
        draw(one, SLOW, 10, 1);
        assertThat(draw(one, SLOW, 1, 1).step().admitted()).isFalse();

        assertThat(draw(one, bucket("20/h", 20), 1, 1).step().admitted()).isTrue();
    }

    @Test
    void acquireWhenPermitsAreLeasedThenAHundredCostOneTrip() {
        long before = SERVER.calls("evalsha");
        for (int i = 0; i < 1_000; i++) {
            assertThat(draw(one, HOT, 1, 100).step().admitted()).isTrue();
        }

        assertThat(SERVER.calls("evalsha") - before).isBetween(10L, 15L);
        assertThat(draw(one, HOT, 1, 100).step().admitted()).isFalse();
    }

    @Test
    void acquireWhenManyLeaseAtOnceThenNoneGetsMoreThanTheLimit() throws Exception {
        AtomicInteger admitted = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(32);
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            RedisStore store = i % 2 == 0 ? one : two;
            all.add(threads.submit(
                    () -> admitted.addAndGet(draw(store, HOT, 1, 100).step().admitted() ? 1 : 0)));
        }
        for (Future<?> each : all) {
            each.get();
        }
        threads.shutdown();

        // refills one in 3.6 s
        assertThat(admitted.get()).isBetween(900, 1_002);
    }

    @Test
    void acquireWhenManyWaitForATripThenTheNextFetchesForAllOfThem() throws Exception {
        long before = SERVER.calls("evalsha");
        ExecutorService threads = Executors.newFixedThreadPool(40);
        List<Future<Boolean>> all = new ArrayList<>();
        SERVER.call(redis -> redis.clientPause(300));
        for (int i = 0; i < 40; i++) {
            all.add(threads.submit(() -> draw(one, HOT, 1, 2).step().admitted()));
        }
        for (Future<Boolean> each : all) {
            assertThat(each.get()).isTrue();
        }
        threads.shutdown();

        // by twos it would have been twenty
        assertThat(SERVER.calls("evalsha") - before).isLessThanOrEqualTo(6);
        await().atMost(Duration.ofSeconds(3))
                .until(() -> two.peek(List.of(demand(HOT, 0, 1))).get(0).step().remaining() == 960);
    }

    @Test
    void acquireWhenTheLimitIsSpentWhileManyWaitThenAllAreToldLongBeforeTheirTimeIsOver() throws Exception {
        try (RedisStore patient = Stores.at(SERVER.port(), Duration.ofSeconds(60))) {
            long before = SERVER.calls("evalsha");
            SERVER.call(redis -> redis.clientPause(300));
            List<Boolean> admitted = together(40, () -> draw(patient, SLOW, 1, 3));

            assertThat(admitted.stream().filter(each -> each)).hasSize(10);
            assertThat(SERVER.calls("evalsha") - before).isLessThanOrEqualTo(10);
        }
    }

    @Test
    void acquireWhenManyWantDifferentCostsThenNobodyWaitingIsForgotten() throws Exception {
        try (RedisStore patient = Stores.at(SERVER.port(), Duration.ofSeconds(60))) {
            for (int round = 0; round < 300; round++) {
                AtomicInteger number = new AtomicInteger();
                String zone = "z" + round;
                List<Boolean> admitted = together(
                        8,
                        () -> patient.acquire(
                                        List.of(new Demand(zone, KEY, SLOW, 1 + number.getAndIncrement() % 2, true, 3)))
                                .get(0));

                // four of one and three of two, or four of two and two of one
                assertThat(admitted.stream().filter(each -> each).count()).isBetween(6L, 7L);
            }
        }
    }

    private static List<Boolean> together(int threads, Supplier<Reply> draw) throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        List<Future<Boolean>> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            all.add(executor.submit(() -> draw.get().step().admitted()));
        }
        List<Boolean> admitted = new ArrayList<>();
        for (Future<Boolean> each : all) {
            admitted.add(each.get(10, TimeUnit.SECONDS));
        }
        executor.shutdown();
        return admitted;
    }

    @Test
    void acquireWhenLeasedPermitsAreNotUsedThenTheyGoBackAfterASecond() {
        draw(one, HOT, 1, 100);
        assertThat(two.peek(List.of(demand(HOT, 0, 1))).get(0).step().remaining())
                .isEqualTo(900);

        await().atMost(Duration.ofSeconds(3))
                .until(() -> two.peek(List.of(demand(HOT, 0, 1))).get(0).step().remaining() == 999);
    }

    @Test
    void acquireWhenAnotherZoneRefusesThenWhatWasHandedOutGoesBack() {
        draw(one, HOT, 1, 100);
        Demand full = new Demand("full", KEY, SLOW, 11, true, 1);

        assertThat(one.acquire(List.of(demand(HOT, 1, 100), full)).get(1).step().admitted())
                .isFalse();

        await().atMost(Duration.ofSeconds(3))
                .until(() -> two.peek(List.of(demand(HOT, 0, 1))).get(0).step().remaining() == 999);
    }

    private static TokenBucket bucket(String rate, long burst) {
        return TokenBucket.of(Rate.parse(rate), burst);
    }

    private static Demand demand(Algorithm limit, long cost, int lease) {
        return new Demand("z", KEY, limit, cost, true, lease);
    }

    private static Reply draw(RedisStore store, Algorithm limit, long cost, int lease) {
        return store.acquire(List.of(demand(limit, cost, lease))).get(0);
    }
}
