package io.github.ratelimit.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.ratelimit.fixture.RedisServer;
import io.github.ratelimit.fixture.WebServer;
import java.net.http.HttpResponse;
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
        HttpResponse<String> refused = shop.get("/api", "X-K", "a");
        return Long.parseLong(refused.headers().firstValue("Retry-After").orElseThrow());
    }
}
