package io.github.ratelimit.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.fixture.RawHttp;
import io.github.ratelimit.fixture.WebServer;
import io.github.ratelimit.store.local.Ticker;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** RL-23: probes are not limited by a rule that was not meant for them, wherever they are. */
class HealthPathsTests {

    private static final String YAML = """
            management:
              endpoint.health:
                probes.enabled: true
                group.live: { include: ping, additional-path: "server:/livez" }
            ratelimit.rules: [{ path: /, rate: 3/h }]
            """;

    @ParameterizedTest
    @CsvSource({
        "'', '', /actuator",
        "management.endpoints.web.base-path: /ops, '', /ops",
        "management.endpoints.web.base-path: /, '', ''",
        "server.servlet.context-path: /ctx, /ctx, /actuator",
        "spring.mvc.servlet.path: /app, /app, /actuator",
        "management.server.port: 0, '', /actuator"
    })
    void probesWhenACatchAllIsSpentThenAreStillAnswered(String setting, String base, String actuator) {
        try (WebServer server = start(setting);
                RawHttp client = new RawHttp(server.port());
                RawHttp probe = new RawHttp(managementPort(server))) {
            boolean separate = managementPort(server) != server.port();
            String health = (separate ? "" : base) + actuator + "/health/liveness";
            assertThat(statuses(probe, health, 10)).containsOnly(200);
            assertThat(statuses(client, base + "/livez", 3)).containsOnly(200);
            assertThat(statuses(client, base + "/x", 4)).containsExactly(200, 200, 200, 429);
            assertThat(statuses(probe, health, 10)).containsOnly(200);
            assertThat(statuses(client, base + "/livez", 3)).containsOnly(200);
            assertThat(statuses(client, base + actuator + "/healthy-x", 1)).containsOnly(429);
            assertThat(statuses(client, base + "/livezz", 1)).containsOnly(429);
            assertThat(statuses(client, base + actuator + "/health/../x", 1))
                    .as("a way round")
                    .containsOnly(429);
        }
    }

    @Test
    void probesWhenARuleNamesThemThenAreLimited() {
        try (WebServer server = start("ratelimit.rules: [{ path: /actuator/health, rate: 2/h }]");
                RawHttp client = new RawHttp(server.port())) {
            assertThat(statuses(client, "/actuator/health/liveness", 3)).containsExactly(200, 200, 429);
        }
    }

    private static WebServer start(String setting) {
        String rules = setting.startsWith("ratelimit") ? YAML.substring(0, YAML.indexOf("ratelimit")) : YAML;
        return WebServer.start(WebServer.WITHOUT_SECURITY + rules + setting + "\n", Application.class);
    }

    private static int managementPort(WebServer server) {
        Integer port = server.bean(Environment.class).getProperty("local.management.port", Integer.class);
        return port == null ? server.port() : port;
    }

    private static Stream<Integer> statuses(RawHttp client, String path, int times) {
        return Stream.generate(() -> client.send("GET", path).status()).limit(times);
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

        @GetMapping("/x")
        String x() {
            return "x";
        }
    }
}
