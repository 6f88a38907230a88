package io.github.ratelimit.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.fixture.RawHttp;
import io.github.ratelimit.fixture.WebServer;
import io.github.ratelimit.store.local.Ticker;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** All spellings of a path draw on one budget. The clock of the zones stands still. */
class SpelledBudgetTests {

    /** RL-01, RL-04. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | /api/login | /api/login /api/login;x=1 /api;x/login /api/%6cogin /%61pi/login /api/login?x=1",
                "server.servlet.context-path: /ctx | /api/login |"
                        + " /ctx/api/login /ctx;x/api/login /ctx/%61pi/login /ctx/api/login",
                "spring.mvc.servlet.path: /app | /app/api/login |"
                        + " /app/api/login /app/api/login /app/api;x/login /app/api/login",
                "'{server.servlet.context-path: /ctx, spring.mvc.servlet.path: /app}' | /app/api/login |"
                        + " /ctx/app/api/login /ctx/app/api/login /ctx;a/app/api/login /ctx/app/api/login"
            })
    void postsWhenSpeltInAnyWayThenTheFourthIsRefused(String setting, String rule, String targets) {
        String yaml = setting.startsWith("{")
                ? setting.substring(1, setting.length() - 1).replace(", ", "\n")
                : setting;
        try (WebServer server = start(yaml + "\nratelimit.rules: [{ path: " + rule + ", rate: 3/h }]");
                RawHttp client = new RawHttp(server.port())) {
            assertThat(Arrays.stream(targets.split(" "))
                            .map(target -> client.sendBody("POST", target, "").status())
                            .toList())
                    .startsWith(200, 200, 200, 429)
                    .filteredOn(status -> status == 200)
                    .hasSize(3);
        }
    }

    /** What a handler takes for its variable is what it is counted by, on every reading of the path. */
    @Test
    void variableWhenThePathHasDotSegmentsThenIsThatOfTheHandler() {
        String rules = """
                ratelimit:
                  zones: { tenant: { key: "path-variable:tenant", rate: 3/h } }
                  rules: [{ path: "/tenants/{tenant}", zones: [tenant] }]
                """;
        try (WebServer server = start(rules);
                RawHttp client = new RawHttp(server.port())) {
            for (int i = 0; i < 4; i++) {
                assertThat(client.send("GET", "/tenants/acme/../../tenants/t" + i + "/x")
                                .status())
                        .isEqualTo(i < 3 ? 200 : 429);
            }
            assertThat(client.send("GET", "/tenants/acme/x").status()).isEqualTo(429);
            assertThat(client.send("GET", "/tenants/other/x").body()).isEqualTo("other");
        }
    }

    private static WebServer start(String yaml) {
        return WebServer.start(WebServer.WITHOUT_SECURITY + yaml + "\n", Application.class);
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {

        @Bean
        Ticker stoppedClock() {
            return () -> 0;
        }

        @Bean
        Endpoints endpoints() {
            return new Endpoints();
        }
    }

    @RestController
    static class Endpoints {

        @PostMapping("/api/login")
        String login() {
            return "in";
        }

        @GetMapping("/tenants/{tenant}/**")
        String tenant(@PathVariable String tenant) {
            return tenant;
        }
    }
}
