package io.github.ratelimit.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.ratelimit.fixture.RedisServer;
import io.github.ratelimit.fixture.TcpProxy;
import io.github.ratelimit.fixture.WebServer;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an application does while its Redis does not do what it should. */
class OutageTests {

    private static final Duration RECOVERY = Duration.ofSeconds(5);
    private static final String LIMIT = "key: 'header:X-K', rate: 3/h, store: redis, on-store-failure: ";
    /** Status of a request beyond the limit while the store fails. */
    private static final Map<String, Integer> BEYOND = Map.of("allow", 200, "reject", 503, "local", 429);

    private final RedisServer redis = RedisServer.start();

    @AfterEach
    void stop() {
        redis.close();
    }

    @ParameterizedTest
    @CsvSource({"allow", "reject", "local"})
    void requestsWhenRedisIsKilledThenTheModeHoldsUntilItIsBack(String mode) {
        try (WebServer shop = Shop.start(redis.port(), LIMIT + mode)) {
            assertThat(Shop.get(shop, 4, "a")).containsExactly(200, 200, 200, 429);

            redis.kill();
            assertThat(during(shop, "b", 10)).isEqualTo(expected(mode, 10));
            assertThat(shop.get("/actuator/ratelimit").body()).contains("\"state\":\"DOWN\"");
            assertFree(shop);

            redis.restart();
            awaitShared(shop, RECOVERY);
            assertThat(Shop.get(shop, 5, "c")).containsExactly(200, 200, 200, 429, 429);
        }
    }

    @ParameterizedTest
    @CsvSource({"allow, 20000", "reject, 3000", "local, 3000"})
    void requestsWhenRedisIsPausedThenTheyAreAnsweredAndNeverChargedAfterwards(String mode, int millis) {
        try (WebServer shop = Shop.start(redis.port(), LIMIT + mode)) {
            Shop.get(shop, 1, "a");
            redis.call(commands -> commands.clientPause(millis));

            long start = System.nanoTime();
            List<Integer> statuses = Shop.getTogether(shop, 200, "p");
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(2));
            assertThat(statuses).allMatch(status -> status == 200 || status.equals(BEYOND.get(mode)));
            assertFree(shop);
            assertThat(during(shop, "q", 10)).isEqualTo(expected(mode, 10));

            awaitShared(shop, RECOVERY.plusMillis(millis));
            assertThat(Shop.get(shop, 4, "p")).containsExactly(200, 200, 200, 429);
        }
    }

    @ParameterizedTest
    @CsvSource({"allow", "reject", "local"})
    void requestsWhenRedisTakesNoMoreThenTheModeHolds(String mode) {
        try (WebServer shop = Shop.start(redis.port(), LIMIT + mode)) {
            Shop.get(shop, 1, "a");
            redis.call(commands -> commands.configSet("maxmemory", "1"));
            assertThat(during(shop, "b", 20)).isEqualTo(expected(mode, 20));
            assertThat(shop.get("/actuator/ratelimit").body()).contains("out_of_memory");

            redis.call(commands -> commands.configSet("maxmemory", "0"));
            awaitShared(shop, RECOVERY);
            assertThat(Shop.get(shop, 4, "c")).containsExactly(200, 200, 200, 429);
        }
    }

    @ParameterizedTest
    @CsvSource({"allow", "reject", "local"})
    void requestsWhenRedisBecomesAReplicaThenTheModeHolds(String mode) {
        try (WebServer shop = Shop.start(redis.port(), LIMIT + mode)) {
            Shop.get(shop, 1, "a");
            redis.call(commands -> commands.replicaof("127.0.0.1", 1));
            assertThat(during(shop, "b", 20)).isEqualTo(expected(mode, 20));

            redis.call(commands -> commands.replicaofNoOne());
            awaitShared(shop, RECOVERY);
            assertThat(Shop.get(shop, 4, "c")).containsExactly(200, 200, 200, 429);
        }
    }

    @Test
    void requestsWhenAnswersAreLostThenNothingIsSentTwice() {
        try (TcpProxy proxy = TcpProxy.to(redis.port());
                WebServer shop = Shop.start(proxy.port(), LIMIT + "allow")) {
            Shop.get(shop, 1, "a");
            long before = redis.calls("evalsha") + redis.calls("eval");

            proxy.dropAnswers(true);
            List<Integer> statuses = Shop.get(shop, 2, "b");
            long sent = redis.calls("evalsha") + redis.calls("eval") - before;
            proxy.dropAnswers(false);

            assertThat(statuses).containsExactly(200, 200);
            assertThat(sent).isEqualTo(2);
            awaitDecided(shop);
            // what was sent was done once, although nobody heard of it
            assertThat(Collections.frequency(Shop.get(shop, 3, "b"), 200)).isEqualTo((int) (3 - sent));
        }
    }

    @Test
    void requestsWhenTheScriptIsFlushedUnderLoadThenNoneFails() {
        try (WebServer shop =
                Shop.start(redis.port(), "key: 'header:X-K', rate: 1000/h, store: redis, on-store-failure: reject")) {
            for (int i = 0; i < 20; i++) {
                redis.call(commands -> commands.scriptFlush());
                assertThat(Shop.getTogether(shop, 20, "a")).containsOnly(200);
            }
            assertThat(shop.get("/api", "X-K", "a").statusCode()).isEqualTo(200);
            assertThat(shop.get("/actuator/ratelimit").body()).contains("\"failures\":0");
        }
    }

    @Test
    void startWhenNothingListensThenLimitsHoldOnceRedisAppears() {
        int port = RedisServer.freePort();
        long start = System.nanoTime();
        try (WebServer shop = Shop.start(port, LIMIT + "allow")) {
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(30));
            assertThat(Shop.get(shop, 5, "a")).containsOnly(200);
            try (RedisServer late = RedisServer.startAt(port)) {
                awaitShared(shop, RECOVERY);
                assertThat(Shop.get(shop, 4, "b")).containsExactly(200, 200, 200, 429);
            }
        }
    }

    @Test
    void startWhenTheListenerNeverAnswersThenRequestsAreServed() throws IOException {
        try (ServerSocket silent = new ServerSocket(0);
                WebServer shop = Shop.start(silent.getLocalPort(), LIMIT + "allow")) {
            shop.get("/free");
            assertThat(during(shop, "a", 5)).isEqualTo(expected("allow", 5));
        }
    }

    @Test
    void requestsWhenThreadsAreVirtualAndRedisIsPausedThenNothingElseWaits() {
        try (WebServer shop = Shop.start(redis.port(), LIMIT + "allow", "spring.threads.virtual.enabled: true")) {
            Shop.get(shop, 1, "a");
            shop.get("/free");
            redis.call(commands -> commands.clientPause(2_000));

            List<Integer> statuses = Shop.getTogether(shop, 100, "p");
            assertFree(shop);

            assertThat(statuses).containsOnly(200);
            awaitShared(shop, RECOVERY.plusSeconds(2));
            assertThat(Shop.get(shop, 4, "p")).containsExactly(200, 200, 200, 429);
        }
    }

    @Test
    void requestsWhenAGuardRefusesThenRedisIsNotAsked() {
        try (WebServer shop =
                Shop.start(redis.port(), "key: 'header:X-K', rate: 1000/h, store: redis, local-guard: 5/h")) {
            long before = redis.calls("evalsha");

            assertThat(Collections.frequency(Shop.get(shop, 50, "a"), 200)).isEqualTo(5);

            assertThat(redis.calls("evalsha") - before).isEqualTo(5);
        }
    }

    /** Requests that each end in time. */
    private static List<Integer> during(WebServer shop, String key, int count) {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long start = System.nanoTime();
            statuses.addAll(Shop.get(shop, 1, key));
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(400));
        }
        return statuses;
    }

    private static List<Integer> expected(String mode, int count) {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            statuses.add(i < 3 && !mode.equals("reject") ? 200 : BEYOND.getOrDefault(mode, 0));
        }
        return statuses;
    }

    private static void assertFree(WebServer shop) {
        long start = System.nanoTime();
        assertThat(shop.get("/free").statusCode()).isEqualTo(200);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(200));
    }

    /** Waits until Redis decides again: where the mode is to allow, nobody else refuses. */
    private static void awaitDecided(WebServer shop) {
        await().atMost(RECOVERY).until(() -> shop.get("/api", "X-K", "x").statusCode() == 429);
    }

    private static void awaitShared(WebServer shop, Duration most) {
        await().atMost(most)
                .pollInterval(Duration.ofMillis(100))
                .until(() -> shop.get("/actuator/ratelimit").body().contains("\"state\":\"UP\""));
    }
}
