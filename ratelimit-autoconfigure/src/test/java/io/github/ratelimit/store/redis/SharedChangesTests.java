package io.github.ratelimit.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.ratelimit.fixture.RedisServer;
import io.github.ratelimit.fixture.WebServer;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an operator changes on one instance, seen from another and from the next one. */
class SharedChangesTests {

    private static final String LOCAL = "key: 'header:X-K', rate: 3/h";
    private static final String SHARED = LOCAL + ", store: redis";
    private static final String OPEN = "management.endpoint.ratelimit.access: unrestricted";
    private static final String WANTED = "ratelimit.redis.key-prefix: 'ratelimit:wanted:'";
    private static final String ZONE = "/actuator/ratelimit/z";

    private final RedisServer redis = RedisServer.start();

    @AfterEach
    void stop() {
        redis.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {LOCAL, SHARED})
    void changeWhenMadeOnOneInstanceThenItIsInForceOnAllAndAfterARestart(String zone) {
        try (WebServer here = shop(zone);
                WebServer there = shop(zone)) {
            assertThat(change(here, "{\"rate\": \"5/h\"}")).isEqualTo(200);
            await().atMost(Duration.ofSeconds(1)).until(() -> burst(there, 5));
            assertThat(admitted(there, "a")).isEqualTo(5);
        }
        try (WebServer next = shop(zone);
                WebServer other = shop(zone)) {
            assertThat(admitted(next, "b")).isEqualTo(5);
            assertThat(other.send("DELETE", ZONE, null).statusCode()).isEqualTo(204);
            await().atMost(Duration.ofSeconds(1)).until(() -> burst(next, 3));
            assertThat(burst(other, 3)).isTrue();
        }
        try (WebServer last = shop(zone)) {
            assertThat(burst(last, 3)).isTrue();
        }
        assertThat(redis.keys("ratelimit:*")).isNotEmpty().allMatch(key -> redis.life(key) > 0);
    }

    @Test
    void changeWhenRedisIsAwayThen503AndThePolicyStaysAndItWorksOnceItIsBack() {
        try (WebServer shop = shop(LOCAL)) {
            assertThat(change(shop, "{\"rate\": \"5/h\"}")).isEqualTo(200);
            redis.kill();
            assertThat(change(shop, "{\"rate\": \"7/h\"}")).isEqualTo(503);
            assertThat(shop.send("DELETE", ZONE, null).statusCode()).isEqualTo(503);
            assertThat(admitted(shop, "a")).isEqualTo(5);

            redis.restart();
            await().atMost(Duration.ofSeconds(5)).until(() -> change(shop, "{\"rate\": \"8/h\"}") == 200);
            try (WebServer next = shop(LOCAL)) {
                assertThat(burst(next, 8)).isTrue();
            }
        }
    }

    @Test
    void changeWhenRedisIsNotForTheLimiterThenItEndsWithTheInstance() {
        try (WebServer shop = Shop.start(redis.port(), LOCAL, OPEN)) {
            assertThat(change(shop, "{\"rate\": \"5/h\"}")).isEqualTo(200);
            assertThat(admitted(shop, "a")).isEqualTo(5);
        }
        assertThat(redis.keys("*")).isEmpty();
    }

    private WebServer shop(String zone) {
        return Shop.start(redis.port(), zone, OPEN, zone.equals(LOCAL) ? WANTED : "");
    }

    private static int change(WebServer shop, String body) {
        return shop.send("POST", ZONE, body, "Content-Type", "application/json").statusCode();
    }

    private static boolean burst(WebServer shop, int burst) {
        return shop.get(ZONE).body().contains("\"burst\":" + burst + ",");
    }

    private static int admitted(WebServer shop, String key) {
        List<Integer> statuses = Shop.get(shop, 12, key);
        return Collections.frequency(statuses, 200);
    }
}
