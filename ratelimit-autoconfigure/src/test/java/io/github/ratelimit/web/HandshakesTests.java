package io.github.ratelimit.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.fixture.RawHttp;
import io.github.ratelimit.fixture.RawHttp2;
import io.github.ratelimit.fixture.WebServer;
import io.github.ratelimit.store.local.Ticker;
import jakarta.websocket.OnError;
import jakarta.websocket.OnMessage;
import jakarta.websocket.server.ServerEndpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.http.server.ServerHttpRequest;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.web.socket.WebSocketHandler;
import org.springframework.web.socket.config.annotation.EnableWebSocket;
import org.springframework.web.socket.config.annotation.WebSocketConfigurer;
import org.springframework.web.socket.handler.TextWebSocketHandler;
import org.springframework.web.socket.server.HandshakeInterceptor;
import org.springframework.web.socket.server.standard.ServerEndpointExporter;

/**
 * A WebSocket's handshake falls under the rules for GET, whatever verb the version of HTTP has for it. The clock of the
 * zones stands still.
 */
@ParameterizedClass(name = "{0}")
@ValueSource(strings = {"tomcat", "jetty"})
class HandshakesTests {

    private static final String YAML = """
            server.http2.enabled: true
            ratelimit:
              client-ip.trusted-proxies: ["127.0.0.1/32", "::1/128"]
              rules:
                - { path: /ws, methods: [GET], rate: 3/h }
                - { path: /endpoint, methods: [GET], rate: 3/h }
            """;

    private static final AtomicInteger HANDSHAKES = new AtomicInteger();
    private static WebServer server;

    private final boolean jetty;

    HandshakesTests(String container) {
        jetty = container.equals("jetty");
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
        HANDSHAKES.set(0);
    }

    /** A handler of Spring's, and an endpoint that the server finds by itself. */
    @ParameterizedTest
    @ValueSource(strings = {"/ws", "/endpoint"})
    void handshakesWhenOverHttp1ThenTheFourthIsRefused(String path) {
        try (RawHttp client = new RawHttp(server.port())) {
            assertThat(statuses(() -> client.send(
                                    "GET",
                                    path,
                                    "X-Forwarded-For: 203.0.113.1",
                                    "Connection: Upgrade",
                                    "Upgrade: websocket",
                                    "Sec-WebSocket-Version: 13",
                                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")
                            .status()))
                    .containsExactly(101, 101, 101, 429);
        }
        assertThat(HANDSHAKES).hasValue(path.equals("/ws") ? 3 : 0);
    }

    /** RFC 8441: only Jetty knows it; whoever does not refuses the verb. */
    @Test
    void handshakesWhenOverHttp2ThenTheFourthIsRefused() {
        try (RawHttp2 client = new RawHttp2(server.port())) {
            List<Integer> statuses = statuses(() -> client.open(
                            ":method",
                            "CONNECT",
                            ":protocol",
                            "websocket",
                            ":scheme",
                            "http",
                            ":authority",
                            "localhost",
                            ":path",
                            "/ws",
                            "x-forwarded-for",
                            "203.0.113.2",
                            "sec-websocket-version",
                            "13")
                    .status());
            if (jetty) {
                assertThat(statuses).containsExactly(200, 200, 200, 429);
            }
        }
        assertThat(HANDSHAKES).hasValue(jetty ? 3 : 0);
    }

    private static List<Integer> statuses(Supplier<Integer> handshake) {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            statuses.add(handshake.get());
        }
        return statuses;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebSocket
    static class Application {

        @Bean
        Ticker stoppedClock() {
            return () -> 0;
        }

        @Bean
        static ServerEndpointExporter endpoints() {
            ServerEndpointExporter exporter = new ServerEndpointExporter();
            exporter.setAnnotatedEndpointClasses(Silent.class);
            return exporter;
        }

        @Bean
        WebSocketConfigurer sockets(Environment environment) {
            return registry -> registry.addHandler(new TextWebSocketHandler(), "/ws")
                    .setHandshakeHandler(HostileApplication.handshakes(environment))
                    .addInterceptors(new Counter());
        }
    }

    /** Says nothing. */
    @ServerEndpoint("/endpoint")
    public static class Silent {

        @OnMessage
        public void heard(String text) {
            // and does nothing
        }

        @OnError
        public void left(Throwable cause) {
            // the client closes the connection without a word
        }
    }

    private static final class Counter implements HandshakeInterceptor {

        @Override
        public boolean beforeHandshake(
                ServerHttpRequest request,
                ServerHttpResponse response,
                WebSocketHandler handler,
                Map<String, Object> attributes) {
            HANDSHAKES.incrementAndGet();
            return true;
        }

        @Override
        public void afterHandshake(
                ServerHttpRequest request,
                ServerHttpResponse response,
                WebSocketHandler handler,
                @Nullable Exception failure) {
            // nothing to add
        }
    }
}
