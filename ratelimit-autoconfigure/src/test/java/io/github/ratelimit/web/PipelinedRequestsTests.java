package io.github.ratelimit.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.fixture.WebServer;
import io.github.ratelimit.store.local.Ticker;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Requests that are sent before the one in front is answered: none gets more by it, and what belongs to a refused one is
 * never taken for another. The clock of the zones stands still.
 */
@ParameterizedClass(name = "{0}")
@ValueSource(strings = {"tomcat", "jetty"})
class PipelinedRequestsTests {

    private static final String YAML = """
            ratelimit:
              zones:
                ten: { key: "header:X-Key", rate: 10/h }
                one: { key: "header:X-Key", rate: 1/h }
              rules:
                - { path: /ten, zones: [ten] }
                - { path: /one, zones: [one] }
            """;

    private static final AtomicInteger KEYS = new AtomicInteger();
    private static WebServer server;

    private final String key = "X-Key: pipeline-" + KEYS.incrementAndGet() + "\r\n";

    PipelinedRequestsTests(String container) {
        // that start() has been told
    }

    @BeforeParameterizedClassInvocation
    static void start(String container) {
        server = WebServer.start(WebServer.on(container) + WebServer.WITHOUT_SECURITY + YAML, Application.class);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        server.close();
    }

    @BeforeEach
    void reset() {
        Endpoints.FREE.set(0);
    }

    @Test
    void requestsWhenSentInOnePacketThenExactlyTheLimitIsAdmitted() throws IOException {
        assertThat(statuses(get("/ten", "HTTP/1.1").repeat(59) + last("/ten")))
                .hasSize(60)
                .startsWith(200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 429)
                .filteredOn(status -> status == 429)
                .hasSize(50);
    }

    @Test
    void requestsWhenOfAnOldVersionThenAreCountedWithTheOthers() throws IOException {
        assertThat(statuses(get("/one", "HTTP/1.0"))).containsExactly(200);
        assertThat(statuses(get("/one", "HTTP/1.0"))).containsExactly(429);
        assertThat(statuses(last("/one"))).containsExactly(429);
    }

    /** A body that reads like a request, behind a refusal that has not read it. */
    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: %d\r\n\r\n%s", "Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n"})
    void bodyWhenItsRequestIsRefusedThenIsNotTakenForARequest(String framing) throws IOException {
        assertThat(statuses(last("/one"))).containsExactly(200);
        String body = get("/free", "HTTP/1.1");
        String refused = "POST /one HTTP/1.1\r\nHost: localhost\r\n" + key + framing.formatted(body.length(), body);

        assertThat(statuses(refused + last("/one"))).containsOnly(429);
        assertThat(Endpoints.FREE).hasValue(0);
        assertThat(statuses(refused + last("/free"))).startsWith(429);
        assertThat(Endpoints.FREE)
                .as("the second request, if the connection was kept")
                .hasValueLessThan(2);
    }

    private String get(String path, String version) {
        return "GET " + path + " " + version + "\r\nHost: localhost\r\n" + key + "\r\n";
    }

    private String last(String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + key + "\r\n";
    }

    /** The statuses of all answers on one connection. */
    private static List<Integer> statuses(String requests) throws IOException {
        try (Socket socket = new Socket("localhost", server.port())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(requests.getBytes(StandardCharsets.US_ASCII));
            String answers = new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
            return Arrays.stream(answers.split("HTTP/1\\.[01] "))
                    .skip(1)
                    .map(answer -> Integer.parseInt(answer.substring(0, 3)))
                    .toList();
        }
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

        static final AtomicInteger FREE = new AtomicInteger();

        @GetMapping({"/ten", "/one"})
        String any() {
            return "any";
        }

        @GetMapping("/free")
        String free() {
            FREE.incrementAndGet();
            return "free";
        }
    }
}
