package io.github.ratelimit.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.github.ratelimit.fixture.ForkedServer;
import io.github.ratelimit.fixture.RedisServer;
import io.github.ratelimit.fixture.WebServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two instances of an application on one Redis. */
class SharedQuotaTests {

    private final RedisServer redis = RedisServer.start();

    @AfterEach
    void stop() {
        redis.close();
    }

    @Test
    void requestsWhenTheyAlternateOverInstancesThenTheyShareOneQuota() {
        String zone = "key: 'header:X-K', rate: 60/h, burst: 60, store: redis";
        try (WebServer one = Shop.start(redis.port(), zone);
                WebServer two = Shop.start(redis.port(), zone)) {
            List<Integer> statuses = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                statuses.addAll(Shop.get(one, 1, "a"));
                statuses.addAll(Shop.get(two, 1, "a"));
            }

            assertThat(Collections.frequency(statuses, 200)).isBetween(60, 61);
            assertThat(Collections.frequency(statuses, 429)).isEqualTo(200 - Collections.frequency(statuses, 200));
            assertThat(one.get("/actuator/ratelimit").body())
                    .contains("\"store\":\"redis\"", "\"redis\":{\"state\":\"UP\",\"failures\":0");
            assertThat(one.get("/actuator/metrics/ratelimit.store?tag=result:ok&tag=store:redis")
                            .statusCode())
                    .isEqualTo(200);
            assertThat(retryAfter(one)).isBetween(retryAfter(two) - 1, retryAfter(two) + 1);
        }
    }

    @Test
    void requestsWhenTheClockOfOneInstanceIsAheadThenBothAgree() throws IOException {
        String yaml = WebServer.WITHOUT_SECURITY + """
                spring.application.name: shop
                spring.data.redis: {host: 127.0.0.1, port: %d}
                ratelimit:
                  # a JVM that has just begun is slow, and that is not the question
                  redis.timeout: 5s
                  zones:
                    fixed: {key: 'header:X-K', algorithm: fixed-window, rate: 10/1m, store: redis}
                    sliding: {key: 'header:X-K', algorithm: sliding-window, rate: 10/1m, store: redis}
                    bucket: {key: 'header:X-K', rate: 10/1h, store: redis}
                    brief: {key: 'header:X-K', algorithm: fixed-window, rate: 10/3s, store: redis}
                    banned:
                      {key: 'header:X-K', rate: 1/1h, store: redis, penalty: {after: 3, within: 1m, ban: 2h}}
                  rules:
                    - {path: /api, zones: [fixed]}
                    - {path: /free, zones: [sliding]}
                    - {path: /other, zones: [bucket]}
                    - {path: /brief, zones: [brief]}
                    - {path: /banned, zones: [banned]}
                """.formatted(redis.port());
        try (WebServer one = WebServer.start(yaml, Shop.Api.class);
                ForkedServer ahead = ForkedServer.startAhead(yaml, Shop.Api.class)) {
            assertAhead(ahead.get("/now").body());
            for (String path : List.of("/api", "/free", "/other")) {
                List<HttpResponse<String>> answers = alternate(one, ahead, path, 30);
                assertThat(answers)
                        .extracting(HttpResponse::statusCode)
                        .filteredOn(status -> status == 200)
                        .hasSize(10);
                assertThat(retryAfter(ahead.get(path, "X-K", "a")))
                        .isCloseTo(retryAfter(one.get(path, "X-K", "a")), within(1L));
            }

            assertThat(alternate(one, ahead, "/brief", 30))
                    .extracting(HttpResponse::statusCode)
                    .filteredOn(status -> status == 200)
                    .hasSize(10);
            await().atMost(Duration.ofSeconds(5))
                    .until(() -> ahead.get("/brief", "X-K", "a").statusCode() == 200);
            assertThat(alternate(one, ahead, "/brief", 15))
                    .extracting(HttpResponse::statusCode)
                    .filteredOn(status -> status == 200)
                    .hasSize(9);

            alternate(one, ahead, "/banned", 8);
            await().atMost(Duration.ofSeconds(1)).until(() -> retryAfter(ahead.get("/banned", "X-K", "a")) > 3_600);
            assertThat(retryAfter(ahead.get("/banned", "X-K", "a")))
                    .isCloseTo(retryAfter(one.get("/banned", "X-K", "a")), within(1L));
        }
    }

    private static void assertAhead(String body) {
        for (String millis : body.split(" ", -1)) {
            assertThat(Long.parseLong(millis) - System.currentTimeMillis()).isBetween(85_000L, 95_000L);
        }
    }

    private static List<HttpResponse<String>> alternate(WebServer one, ForkedServer other, String path, int count)
            throws IOException {
        List<HttpResponse<String>> answers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            answers.add(i % 2 == 0 ? one.get(path, "X-K", "a") : other.get(path, "X-K", "a"));
        }
        return answers;
    }

    private static long retryAfter(HttpResponse<String> refused) {
        return Long.parseLong(refused.headers().firstValue("Retry-After").orElse("0"));
    }

    @Test
    void requestsWhenASlotIsHeldByAnotherInstanceThenTheyAreRefused() throws Exception {
        String zone = "key: 'header:X-K', algorithm: concurrency, max-concurrent: 2, store: redis";
        try (WebServer one = Shop.start(redis.port(), zone);
                WebServer two = Shop.start(redis.port(), zone)) {
            var slow = one.getLater("/slow", "X-K", "a");
            var slower = two.getLater("/slow", "X-K", "a");
            await().until(() -> Shop.get(two, 1, "a").get(0) == 429);
            assertThat(Shop.get(two, 1, "b")).containsExactly(200);

            assertThat(slow.get().statusCode()).isEqualTo(200);
            assertThat(slower.get().statusCode()).isEqualTo(200);
            await().until(() -> Shop.get(one, 1, "a").get(0) == 200);
        }
    }

    @Test
    void applicationsWhenTheyHaveOtherNamesThenTheyShareNothing() {
        String zone = "key: 'header:X-K', rate: 3/h, store: redis";
        try (WebServer one = Shop.start(redis.port(), zone);
                WebServer other = Shop.start(redis.port(), zone, "ratelimit.redis.key-prefix: 'other:'")) {
            assertThat(Shop.get(one, 4, "a")).containsExactly(200, 200, 200, 429);
            assertThat(Shop.get(other, 4, "a")).containsExactly(200, 200, 200, 429);
            assertThat(redis.keys("*"))
                    .filteredOn(key -> !key.contains("probe"))
                    .allMatch(key -> key.startsWith("ratelimit:shop:") || key.startsWith("other:"));
        }
    }

    private static long retryAfter(WebServer shop) {
        return retryAfter(shop.get("/api", "X-K", "a"));
    }
}
