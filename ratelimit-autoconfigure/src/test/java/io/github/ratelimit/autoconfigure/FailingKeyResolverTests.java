package io.github.ratelimit.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.KeyResolver;
import io.github.ratelimit.RateLimited;
import io.github.ratelimit.fixture.WebServer;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A key resolver of the application that throws takes no request down: it has found no key. */
class FailingKeyResolverTests {

    private static WebServer server;

    @BeforeAll
    static void start() {
        server = WebServer.start(WebServer.WITHOUT_SECURITY + """
                ratelimit:
                  zones:
                    address: { key: "bean:tenant", rate: 2/h }
                    skip: { key: "bean:tenant", rate: 1/h, missing-key: skip }
                    reject: { key: "bean:tenant", rate: 1/h, missing-key: reject }
                    composite: { key: [ method, "bean:tenant" ], rate: 1/h }
                  rules:
                    - { path: /address, zones: [address] }
                    - { path: /skip, zones: [skip] }
                    - { path: /reject, zones: [reject] }
                    - { path: /composite, zones: [composite] }
                """, Application.class);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void requestWhenTheResolverThrowsThenMissingKeyDecidesAndItIsCounted() {
        assertThat(statuses("/address", 3)).containsExactly(200, 200, 429);
        assertThat(statuses("/skip", 3)).containsExactly(200, 200, 200);
        assertThat(statuses("/reject", 1)).containsExactly(400);
        assertThat(statuses("/composite", 2)).containsExactly(200, 429);
        assertThat(statuses("/annotated", 2)).containsExactly(200, 429);
        assertThat(server.bean(MeterRegistry.class)
                        .get("ratelimit.key.failures")
                        .tag("resolver", "tenant")
                        .functionCounter()
                        .count())
                .isGreaterThanOrEqualTo(11);
    }

    private static int[] statuses(String path, int times) {
        return IntStream.range(0, times).map(i -> server.get(path).statusCode()).toArray();
    }

    @Configuration(proxyBeanMethods = false)
    @RestController
    static class Application {

        @Bean
        static KeyResolver tenant() {
            return request -> {
                throw new IllegalStateException("no database");
            };
        }

        @GetMapping({"/address", "/skip", "/reject", "/composite"})
        String page() {
            return "page";
        }

        @GetMapping("/annotated")
        @RateLimited(rate = "1/h", key = "bean:tenant")
        String annotated() {
            return "annotated";
        }
    }
}
