package io.github.ratelimit.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedisStoreTests {

    private static final RedisServer SERVER = RedisServer.start();
    private static final RateLimitKey KEY = RateLimitKey.ofText("alice");
    private static final TokenBucket SLOW = bucket("10/h", 10);

    private final RedisStore store = Stores.at(SERVER);

    @AfterEach
    void close() {
        store.close();
        SERVER.call(redis -> redis.flushall());
    }

    @AfterAll
    static void stop() {
        SERVER.close();
    }

    static Stream<Algorithm> limits() {
        return Stream.of(
                SLOW,
                LeakyBucket.of(Rate.parse("10/h"), 9, LeakyBucket.NO_DELAY),
                FixedWindow.of(Rate.parse("10/h")),
                SlidingWindow.of(Rate.parse("10/h")),
                new Concurrency(10));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void acquireWhenManyInstancesDrawAtOnceThenNoneGetsMoreThanTheLimit(Algorithm limit) throws Exception {
        try (RedisStore other = Stores.at(SERVER)) {
            List<Future<Boolean>> draws = new ArrayList<>();
            ExecutorService threads = Executors.newFixedThreadPool(32);
            for (int i = 0; i < 400; i++) {
                RedisStore one = i % 2 == 0 ? store : other;
                draws.add(threads.submit(() -> draw(one, "z", limit, 1).admitted()));
            }
            int admitted = 0;
            for (Future<Boolean> draw : draws) {
                admitted += draw.get() ? 1 : 0;
            }
            threads.shutdown();
            assertThat(admitted).isEqualTo(10);
        }
    }

    @ParameterizedTest
    @MethodSource("limits")
    void acquireWhenAnotherZoneRefusesThenNothingIsDrawn(Algorithm limit) {
        Demand one = demand("one", limit, 1, true);
        Demand full = demand("full", SLOW, 11, true);

        List<Reply> replies = store.acquire(List.of(one, full));

        assertThat(replies.get(1).step().verdict()).isEqualTo(Step.Verdict.UNAFFORDABLE);
        assertThat(store.peek(List.of(demand("one", limit, 10, true)))
                        .get(0)
                        .step()
                        .admitted())
                .isTrue();
    }

    @ParameterizedTest
    @MethodSource("limits")
    void acquireWhenADryRunRefusesThenTheOthersAreDrawn(Algorithm limit) {
        List<Reply> replies = store.acquire(List.of(demand("one", limit, 1, true), demand("full", SLOW, 11, false)));

        assertThat(replies.get(1).step().admitted()).isFalse();
        assertThat(store.peek(List.of(demand("one", limit, 10, true)))
                        .get(0)
                        .step()
                        .admitted())
                .isFalse();
    }

    @ParameterizedTest
    @MethodSource("limits")
    void acquireWhenDrawnThenTheKeyLivesAsLongAsItSaysSomething(Algorithm limit) {
        draw(store, "z", limit, 3);

        String key = SERVER.keys("*alice*").get(0);
        long life = SERVER.life(key);
        long most = limit instanceof SlidingWindow ? 7_200_000 : limit instanceof Concurrency ? 30_000 : 3_600_000;
        assertThat(life).isBetween(1L, most);
        if (limit instanceof TokenBucket) {
            assertThat(life).isBetween(1_070_000L, 1_080_000L);
        }
    }

    @Test
    void acquireWhenRefusedThenNothingIsWritten() {
        draw(store, "z", SLOW, 10);
        String before = value();

        draw(store, "z", SLOW, 1);
        draw(store, "other", SLOW, 11);

        assertThat(value()).isEqualTo(before);
        assertThat(SERVER.keys("*alice*")).hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("limits")
    void acquireWhenDrawnThenTheValueIsSmall(Algorithm limit) {
        draw(store, "z", limit, 3);

        String key = SERVER.keys("*alice*").get(0);
        long memory = SERVER.call(redis -> redis.memoryUsage(key));
        if (!(limit instanceof Concurrency)) {
            assertThat(memory - key.length()).isLessThanOrEqualTo(64);
        }
    }

    static Stream<Algorithm> quickLimits() {
        return Stream.of(
                bucket("10/s", 2),
                LeakyBucket.of(Rate.parse("10/s"), 1, LeakyBucket.NO_DELAY),
                FixedWindow.of(Rate.parse("2/200ms")),
                SlidingWindow.of(Rate.parse("2/200ms")));
    }

    @ParameterizedTest
    @MethodSource("quickLimits")
    void acquireWhenTheTtlIsLostThenTheKeyHeals(Algorithm quick) {
        draw(store, "z", quick, 2);
        String key = SERVER.keys("*alice*").get(0);
        assertThat(SERVER.<Boolean>call(redis -> redis.persist(key))).isTrue();
        assertThat(draw(store, "z", quick, 1).admitted()).isFalse();

        await().atMost(Duration.ofSeconds(2))
                .until(() -> draw(store, "z", quick, 1).admitted());

        assertThat(SERVER.life(key)).isBetween(1L, 400L);
    }

    @Test
    void acquireWhenTheTtlOfSlotsIsLostThenTheKeyHeals() {
        try (Stores.Clock clock = new Stores.Clock(SERVER);
                RedisStore crashed = Stores.timed(SERVER);
                RedisStore other = Stores.timed(SERVER)) {
            Concurrency limit = new Concurrency(2);
            draw(crashed, "z", limit, 2);
            String key = SERVER.keys("*alice*").get(0);
            assertThat(SERVER.<Boolean>call(redis -> redis.persist(key))).isTrue();
            assertThat(draw(other, "z", limit, 1).admitted()).isFalse();

            clock.advance(31_000_000);

            assertThat(draw(other, "z", limit, 1).admitted()).isTrue();
            assertThat(SERVER.life(key)).isBetween(1L, 30_000L);
            assertThat(SERVER.<Long>call(redis -> redis.zcard(key))).isOne();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "hello", "-", "99999999999999999999999", "1 2 3", "1 -2 3"})
    void acquireWhenTheValueIsGarbageThenTheAnswerIsOrdinary(String garbage) {
        for (Algorithm limit :
                limits().filter(each -> !(each instanceof Concurrency)).toList()) {
            RedisKey key = new RedisKeys(Stores.PREFIX).of("z", KEY, limit);
            SERVER.call(redis -> redis.set(new String(key.bytes(), StandardCharsets.UTF_8), garbage));

            Step step = draw(store, "z", limit, 1);

            assertThat(step.remaining()).as(limit.name()).isBetween(0L, 9L);
        }
    }

    @Test
    void acquireWhenTheKeyHoldsAnotherTypeThenItIsReplaced() {
        RedisKey key = new RedisKeys(Stores.PREFIX).of("z", KEY, SLOW);
        SERVER.call(redis -> redis.lpush(new String(key.bytes(), StandardCharsets.UTF_8), "x"));

        assertThat(draw(store, "z", SLOW, 1).remaining()).isEqualTo(9);
    }

    @Test
    void acquireWhenTheScriptIsFlushedThenItIsSentAgainOnce() {
        draw(store, "z", SLOW, 1);
        SERVER.call(redis -> redis.scriptFlush());

        assertThat(draw(store, "z", SLOW, 1).remaining()).isEqualTo(8);
        assertThat(draw(store, "z", SLOW, 1).remaining()).isEqualTo(7);
    }

    @Test
    void acquireWhenTheLimitIsLoweredThenConsumptionCarriesOver() {
        draw(store, "z", bucket("100/10m", 100), 10);

        TokenBucket lower = bucket("5/10m", 5);
        assertThat(draw(store, "z", lower, 1).admitted()).isFalse();
        assertThat(draw(store, "z", bucket("100/10m", 100), 1).remaining()).isEqualTo(89);
    }

    @Test
    void acquireWhenTheLimitIsRaisedThenNothingIsRefilled() {
        draw(store, "z", bucket("5/10m", 5), 5);

        assertThat(draw(store, "z", bucket("50/10m", 50), 1).remaining()).isBetween(43L, 44L);
        assertThat(draw(store, "z", bucket("5/10m", 5), 1).admitted()).isFalse();
    }

    @Test
    void chargeWhenNothingIsLeftThenTheKeyIsInDebt() {
        Reply drawn = store.acquire(List.of(demand("z", SLOW, 1, true))).get(0);

        store.charge(demand("z", SLOW, 20, true), drawn);

        Step step = draw(store, "z", SLOW, 1);
        assertThat(step.admitted()).isFalse();
        assertThat(step.retryNanos()).isBetween(seconds(12 * 360 - 5), seconds(12 * 360));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void refundWhenAllIsGivenBackThenNothingIsKept(Algorithm limit) {
        Demand demand = demand("z", limit, 4, true);
        Reply drawn = store.acquire(List.of(demand)).get(0);

        store.refund(demand, drawn);

        assertThat(store.peek(List.of(demand("z", limit, 10, true)))
                        .get(0)
                        .step()
                        .admitted())
                .isTrue();
        assertThat(SERVER.keys("*alice*")).isEmpty();
    }

    @Test
    void forgetWhenAKeyHasDrawnThenItIsWholeAgain() {
        draw(store, "z", SLOW, 10);

        store.forget("z", KEY);

        assertThat(draw(store, "z", SLOW, 10).admitted()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{", "}", "{}", "}{", "a b", "Grüße 界", "a{b}c", "%7B", "\\n", "x:y#z"})
    void acquireWhenTheKeyIsSpelledStrangelyThenItIsItsOwn(String text) {
        RateLimitKey key = RateLimitKey.ofText(text);
        assertThat(store.acquire(List.of(new Demand("z", key, SLOW, 3, true, 1)))
                        .get(0)
                        .step()
                        .remaining())
                .isEqualTo(7);
        assertThat(draw(store, "z", SLOW, 1).remaining()).isEqualTo(9);
        assertThat(store.acquire(List.of(new Demand("z", key, SLOW, 3, true, 1)))
                        .get(0)
                        .step()
                        .remaining())
                .isEqualTo(4);
    }

    @Test
    void acquireWhenAnInstanceCrashesThenItsSlotsLapse() {
        try (Stores.Clock clock = new Stores.Clock(SERVER);
                RedisStore crashed = Stores.timed(SERVER);
                RedisStore other = Stores.timed(SERVER)) {
            Concurrency limit = new Concurrency(2);
            draw(crashed, "z", limit, 2);
            clock.advance(29_000_000);
            assertThat(draw(other, "z", limit, 1).admitted()).isFalse();

            clock.advance(2_000_000);

            assertThat(draw(other, "z", limit, 2).admitted()).isTrue();
        }
    }

    @Test
    void acquireWhenARequestLivesLongThenItsSlotsAreRenewed() {
        try (Stores.Clock clock = new Stores.Clock(SERVER);
                RedisStore busy = Stores.timed(SERVER)) {
            Concurrency limit = new Concurrency(2);
            Reply held = busy.acquire(List.of(demand("z", limit, 2, true))).get(0);
            for (int i = 0; i < 5; i++) {
                clock.advance(20_000_000);
                // hears the time, then says it
                draw(busy, "other", SLOW, 1);
                busy.occupancy().renew(0);
                assertThat(draw(busy, "z", limit, 1).admitted()).isFalse();
            }
            busy.refund(demand("z", limit, 2, true), held);

            assertThat(draw(busy, "z", limit, 2).admitted()).isTrue();
        }
    }

    @Test
    void acquireWhenManyKeysDrewThenAllLiveForAWhileAndNoneForEver() {
        List<Algorithm> limits = List.of(
                bucket("5/s", 5),
                FixedWindow.of(Rate.parse("5/s")),
                SlidingWindow.of(Rate.parse("5/s")),
                LeakyBucket.of(Rate.parse("5/s"), 4, LeakyBucket.NO_DELAY));
        for (int i = 0; i < 2_000; i++) {
            RateLimitKey key = RateLimitKey.ofText("key" + i % 500);
            store.acquire(List.of(new Demand("z", key, limits.get(i % 4), 1, true, 1)));
        }

        List<Long> lives = SERVER.call(redis -> redis.keys("*key*").stream()
                .map(redis::pttl)
                .filter(life -> life != -2)
                .toList());
        assertThat(lives).isNotEmpty().allMatch(life -> life >= 0 && life <= 2_000);
        await().until(() -> SERVER.keys("*key*").isEmpty());
    }

    private static String value() {
        return SERVER.call(redis -> redis.get(redis.keys("*alice*").get(0)));
    }

    private static long seconds(long count) {
        return count * 1_000_000_000L;
    }

    private static TokenBucket bucket(String rate, long burst) {
        return TokenBucket.of(Rate.parse(rate), burst);
    }

    private static Demand demand(String zone, Algorithm limit, long cost, boolean enforced) {
        return new Demand(zone, KEY, limit, cost, enforced, 1);
    }

    private static Step draw(RedisStore from, String zone, Algorithm limit, long cost) {
        return from.acquire(List.of(demand(zone, limit, cost, true))).get(0).step();
    }
}
