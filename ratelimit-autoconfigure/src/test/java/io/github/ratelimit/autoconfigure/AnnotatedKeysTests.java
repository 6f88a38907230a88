package io.github.ratelimit.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.RateLimited;
import io.github.ratelimit.fixture.WebServer;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Keys that annotations give to zones of another kind, looked up and released by an operator. */
class AnnotatedKeysTests {

    private static final String YAML = WebServer.WITHOUT_SECURITY + """
            management.endpoints.web.exposure.include: ratelimit
            management.endpoint.ratelimit: { access: unrestricted, show-keys: always }
            ratelimit:
              zones:
                tenant: { rate: 2/h, penalty: { after: 1, ban: 10m } }
                pair: { key: [ client-ip, host ], rate: 2/h }
                secret: { rate: 2/h }
                plain: { rate: 2/h }
              rules:
                - { path: /plain, zones: [ plain, tenant ] }
            """;

    private WebServer server;

    @BeforeEach
    void start() {
        server = WebServer.start(YAML, Endpoints.class);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"acme", "9.9.9.9", "a-tenant-whose-name-is-longer-than-sixty-four-bytes-and-becomes-a-digest"})
    void keyWhenAnExpressionGivesItThenIsShownAndReleased(String tenant) {
        assertThat(call("/tenant?id=" + tenant)).isEqualTo(200);
        assertThat(call("/tenant?id=" + tenant)).isEqualTo(200);
        assertThat(call("/tenant?id=" + tenant)).isEqualTo(429);

        assertThat(shown("tenant", tenant).body()).contains("\"banned\":true");
        assertThat(released("tenant", tenant)).isEqualTo(204);
        assertThat(shown("tenant", tenant).body()).contains("\"banned\":false", "\"remaining\":2");
        assertThat(call("/tenant?id=" + tenant)).isEqualTo(200);
        assertThat(shown("tenant", tenant).body()).contains("\"remaining\":1");
    }

    @ParameterizedTest
    @CsvSource({"pair, /pair?id=, acme", "secret, /secret?key=, acme"})
    void keyWhenTheZoneIsOfAnotherKindThenIsFound(String zone, String path, String key) {
        call(path + key);

        assertThat(shown(zone, key).body()).contains("\"remaining\":1");
        assertThat(released(zone, key)).isEqualTo(204);
        assertThat(shown(zone, key).body()).contains("\"remaining\":2");
    }

    @Test
    void keyWhenOnlyTheZonesOwnKindHasDrawnThenIsThatOne() {
        call("/plain");

        assertThat(shown("tenant", "127.0.0.1").body()).contains("\"remaining\":1");
        assertThat(released("tenant", "127.0.0.1")).isEqualTo(204);
        assertThat(shown("tenant", "127.0.0.1").body()).contains("\"remaining\":2");
    }

    @Test
    void keyWhenNoAnnotationChargesTheZoneThenNobodyHasIt() {
        HttpResponse<String> answer = shown("plain", "acme");

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("is no address");
        assertThat(released("plain", "acme")).isEqualTo(400);
        assertThat(shown("tenant", "%20").statusCode()).isEqualTo(400);
    }

    private int call(String path) {
        return server.get(path).statusCode();
    }

    private HttpResponse<String> shown(String zone, String key) {
        return server.get("/actuator/ratelimit/" + zone + "?key=" + key);
    }

    private int released(String zone, String key) {
        return server.send("DELETE", "/actuator/ratelimit/" + zone + "/" + key, null)
                .statusCode();
    }

    @RestController
    static class Endpoints {

        @GetMapping("/tenant")
        @RateLimited(zone = "tenant", key = "#id")
        String tenant(@RequestParam String id) {
            return id;
        }

        @GetMapping("/pair")
        @RateLimited(zone = "pair", key = "#id")
        String pair(@RequestParam String id) {
            return id;
        }

        @GetMapping("/secret")
        @RateLimited(zone = "secret", key = "param:key")
        String secret() {
            return "secret";
        }

        @GetMapping("/plain")
        String plain() {
            return "plain";
        }
    }
}
