package io.github.ratelimit.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.RateLimited;
import io.github.ratelimit.fixture.RedisServer;
import io.github.ratelimit.fixture.WebServer;
import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.policy.PolicyHolder;
import io.github.ratelimit.policy.Zone;
import java.net.http.HttpResponse;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Requests of which the URL rule has paid a part when their handler refuses them, in either store. */
class RefusedHandlersTests {

    private static final RedisServer REDIS = RedisServer.start();

    @AfterAll
    static void stop() {
        REDIS.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"local", "redis"})
    void requestWhenItsHandlerRefusesThenHasConsumedNothingAndWaitsForTheWhole(String store) {
        String yaml = WebServer.WITHOUT_SECURITY + """
                spring.data.redis.port: %d
                ratelimit:
                  redis.timeout: 5s
                  zones:
                    both: { rate: 8/h, burst: 8, store: %s }
                    other: { rate: 100/h, store: %s }
                  rules:
                    - { path: /, zones: [ both, other ], cost: 2 }
                """.formatted(REDIS.port(), store, store);
        try (WebServer server = WebServer.start(yaml, Endpoints.class)) {
            assertThat(server.get("/early").statusCode()).isEqualTo(200);
            for (String path : new String[] {"/early", "/late?cost=5", "/early"}) {
                HttpResponse<String> refusal = server.get(path);
                assertThat(refusal.statusCode()).isEqualTo(429);
                assertThat(refusal.headers().firstValueAsLong("Retry-After").orElseThrow())
                        .as("two permits are missing from five")
                        .isBetween(870L, 900L);
                assertThat(left(server, "both")).isEqualTo(3);
                assertThat(left(server, "other")).isEqualTo(98);
            }
            assertThat(server.get("/late?cost=3").statusCode()).isEqualTo(200);
            assertThat(left(server, "both")).isZero();
        }
    }

    private static long left(WebServer server, String name) {
        Zone zone = Objects.requireNonNull(
                server.bean(PolicyHolder.class).get().zones().get(name));
        return server.bean(RateLimiter.class)
                .peek(zone, zone.key().ofRaw("127.0.0.1"), 0)
                .remaining();
    }

    @RestController
    static class Endpoints {

        @GetMapping("/early")
        @RateLimited(zone = "both", cost = "5")
        String early() {
            return "early";
        }

        @GetMapping("/late")
        @RateLimited(zone = "both", cost = "#cost")
        String late(@RequestParam int cost) {
            return "late";
        }
    }
}
