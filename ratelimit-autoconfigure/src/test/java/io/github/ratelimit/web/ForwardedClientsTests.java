package io.github.ratelimit.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.ratelimit.fixture.RawHttp;
import io.github.ratelimit.fixture.WebServer;
import io.github.ratelimit.store.local.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Who the client of a real server is, whatever Boot does to the request. The clock of the zones stands still. */
class ForwardedClientsTests {

    private static final String RULE = "ratelimit.rules: [{ path: /api, rate: 3/h }]\n";
    private static final String ONE = "ratelimit.client-ip.trusted-proxies: [127.0.0.1/32, '::1/128']\n";
    private static final String TWO = "ratelimit.client-ip.trusted-proxies: [127.0.0.1/32, '::1/128', 10.0.0.0/8]\n";

    /** RL-08 (a) to (d): what a client invents counts for nothing. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "NOBODY | none      | X-Forwarded-For: %s",
                "NOBODY | framework | X-Forwarded-For: %s",
                "ONE    | none      | X-Forwarded-For: %s, 203.0.113.5",
                "ONE    | framework | X-Forwarded-For: %s, 203.0.113.5",
                "TWO    | none      | X-Forwarded-For: %s, 203.0.113.5, 10.1.1.1",
                "TWO    | framework | X-Forwarded-For: %s, 203.0.113.5, 10.1.1.1",
            })
    void clientWhenItInventsHopsThenHasOneBudget(String trust, String strategy, String header) {
        String trusted = trust.equals("ONE") ? ONE : trust.equals("TWO") ? TWO : "";
        Random random = new Random(8);
        try (WebServer server = start(trusted + "server.forward-headers-strategy: " + strategy);
                RawHttp client = new RawHttp(server.port())) {
            List<Integer> statuses = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                String invented = random.nextInt(256) + "." + random.nextInt(256) + ".6.6";
                // the prefix would move the path, and the rest the scheme and host, for whoever believes them
                statuses.add(client.send(
                                "GET",
                                "/api",
                                header.formatted(invented),
                                "X-Forwarded-Prefix: /p" + i,
                                "X-Forwarded-Proto: https",
                                "X-Forwarded-Host: " + invented,
                                "X-Real-IP: " + invented,
                                "Forwarded: for=" + invented)
                        .status());
            }
            assertThat(statuses).containsExactly(200, 200, 200, 429, 429);
            if (trust.equals("TWO")) {
                assertThat(client.send("GET", "/api", "X-Forwarded-For: 203.0.113.6, 10.1.1.1")
                                .status())
                        .isEqualTo(200);
            }
        }
    }

    /** RL-10. */
    @Test
    void clientWhenItHasAnIpv6NetworkThenHasOneBudget() {
        try (WebServer server = start(ONE);
                RawHttp client = new RawHttp(server.port())) {
            assertThat(statuses(
                            client,
                            "2001:db8:1:2::1",
                            "2001:DB8:1:2:0:0:0:1",
                            "2001:db8:1:2:ffff::9",
                            "2001:db8:1:2::4",
                            "2001:db8:1:3::1"))
                    .containsExactly(200, 200, 200, 429, 200);
            assertThat(statuses(
                            client, "192.0.2.1", "192.0.2.1", "::ffff:192.0.2.1", "[::ffff:c000:201]:80", "192.0.2.2"))
                    .containsExactly(200, 200, 200, 429, 200);
        }
    }

    @Test
    void headerWhenItIsHugeThenIsReadInNoTime() {
        try (WebServer server = start(TWO + "server.max-http-request-header-size: 64KB");
                RawHttp client = new RawHttp(server.port())) {
            for (String hop : List.of(",", "10.0.0.1,", "\"\\", "for=", "[::", "1.", "unknown,")) {
                String header = "X-Forwarded-For: 198.51.100.7" + hop.repeat(30_000 / hop.length());
                assertThat(client.send("GET", "/api", header).status()).isIn(200, 429);
            }
        }
    }

    /** RL-08 (d): what cannot be looked through is refused with the reason. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "server.forward-headers-strategy: native",
                "spring.main.cloud-platform: kubernetes",
                "server.tomcat.remoteip.remote-ip-header: X-Forwarded-For"
            })
    void startWhenTheServerBelievesHeadersThenFailsWithTheReason(String setting) {
        assertThatThrownBy(() -> start(setting).close())
                .hasMessageContaining("the server then believes a header, although"
                        + " ratelimit.client-ip.trusted-proxies names nobody who may send one");
        assertThatThrownBy(() -> start(setting + "\n" + ONE).close())
                .hasMessageContaining("the server then replaces the peer's address before");
        WebServer.start(WebServer.WITHOUT_SECURITY + setting, Application.class).close();
    }

    private static List<Integer> statuses(RawHttp client, String... addresses) {
        List<Integer> statuses = new ArrayList<>();
        for (String address : addresses) {
            statuses.add(
                    client.send("GET", "/api", "X-Forwarded-For: " + address).status());
        }
        return statuses;
    }

    private static WebServer start(String setting) {
        return WebServer.start(WebServer.WITHOUT_SECURITY + RULE + setting + "\n", Application.class);
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

        @GetMapping({"/api", "/p0/api"})
        String api() {
            return "api";
        }
    }
}
