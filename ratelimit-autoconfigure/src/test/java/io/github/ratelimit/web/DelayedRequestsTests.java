package io.github.ratelimit.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.ratelimit.RateLimitContext;
import io.github.ratelimit.RateLimited;
import io.github.ratelimit.fixture.WebServer;
import io.github.ratelimit.store.local.Ticker;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.websocket.DeploymentException;
import jakarta.websocket.OnMessage;
import jakarta.websocket.server.ServerContainer;
import jakarta.websocket.server.ServerEndpoint;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.net.http.WebSocket.Listener;
import java.net.http.WebSocketHandshakeException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletListenerRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.multipart.MultipartFile;

/**
 * Requests that have to wait, on a server with 20 threads. The clock of the zones stands still: the first request of a
 * key goes through, the next ones wait one after another.
 */
@ParameterizedClass(name = "{0}")
@ValueSource(strings = {"tomcat", "jetty"})
class DelayedRequestsTests {

    private static final String YAML = """
            server.servlet.context-path: /ctx
            server.tomcat.accept-count: 1000
            ratelimit:
              zones:
                slow: { key: "header:X-Id", algorithm: leaky-bucket, rate: 10/s, burst: 5 }
                handler: { key: "header:X-Id", algorithm: leaky-bucket, rate: 10/s, burst: 5 }
                crowd: { key: global, algorithm: leaky-bucket, rate: 1000/s, burst: 9000 }
                full: { key: "header:X-Id", algorithm: leaky-bucket, rate: 1/m, burst: 5 }
              rules:
                - { path: /slow, zones: [slow] }
                - { path: /both, zones: [slow] }
                - { path: /crowd, zones: [crowd] }
                - { path: /crowd/head, zones: [crowd], cost: 8000 }
                - { path: /full, zones: [full] }
                - { path: /unsupported, zones: [slow] }
            """;

    private static String yaml;
    private static WebServer server;

    private final boolean jetty;

    DelayedRequestsTests(String container) {
        jetty = container.equals("jetty");
    }

    @BeforeParameterizedClassInvocation
    static void start(String container) {
        yaml = WebServer.on(container) + WebServer.WITHOUT_SECURITY + YAML;
        server = WebServer.start(yaml, Application.class);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/ctx/slow/a",
                "/ctx/slow/a?b=1&c=%C3%A9",
                "/ctx/slow/%61",
                "/ctx/slow/a;x=1/b",
                "/ctx/slow;x=1/a",
                "/ctx;x=1/slow/a",
                "/%63tx/slow/a",
                "/ctx//slow//a",
                "/ctx/./slow/x/../a",
                "/ctx/slow/%E4%BD%A0",
                "/ctx/slow/a%3Bb",
                "/ctx/slow/a%3Fb",
                "/ctx/slow/a%25b",
                "/ctx/slow/a/"
            })
    void requestWhenDelayedThenReachesTheSameHandlerInTheSameWay(String path) {
        HttpResponse<String> first = server.get(path, Trace.ID, path);
        long start = System.nanoTime();
        HttpResponse<String> delayed = server.get(path, Trace.ID, path);

        assertThat(delayed.statusCode()).isEqualTo(first.statusCode());
        // a spelling that the server itself refuses never comes to us
        if (first.statusCode() != 400) {
            assertThat(elapsed(start)).isGreaterThanOrEqualTo(Duration.ofMillis(100));
        }
        if (first.statusCode() == 200) {
            assertThat(delayed.body()).isEqualTo(first.body());
        }
    }

    @Test
    void requestsWhenAThousandWaitThenTheyHoldNoThreadAndEachIsServedOnce() {
        WaitingRoom room = server.bean(WaitingRoom.class);
        int served = Endpoints.CROWD.get();
        List<CompletableFuture<HttpResponse<String>>> crowd = new ArrayList<>();
        server.get("/ctx/crowd/head");
        IntStream.range(0, 1000).forEach(i -> crowd.add(server.getLater("/ctx/crowd")));
        await().pollInterval(Duration.ofMillis(5)).until(() -> room.waiting() == 1000);

        List<Long> micros = new ArrayList<>();
        for (int i = 0; i < 15; i++) {
            long start = System.nanoTime();
            assertThat(server.get("/ctx/free").body()).isEqualTo("free");
            micros.add(TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - start));
        }
        assertThat(room.waiting()).as("waiting all the time").isEqualTo(1000);
        micros.sort(null);
        assertThat(micros.get(7)).as("median of %s", micros).isLessThan(50_000);
        assertThat(crowd)
                .allSatisfy(response -> assertThat(response.join().statusCode()).isEqualTo(200));
        assertThat(Endpoints.CROWD.get() - served).isEqualTo(1001);
        assertThat(room.waiting()).isZero();
    }

    @Test
    void requestWhenNobodyElseMayWaitThenIsRefusedAndNothingIsDrawn() {
        WaitingRoom room = server.bean(WaitingRoom.class);
        assertThat(server.get("/ctx/full", Trace.ID, "full").statusCode()).isEqualTo(200);
        int seats = 0;
        while (room.take()) {
            seats++;
        }
        try {
            for (int i = 0; i < 2; i++) {
                HttpResponse<String> refused = server.get("/ctx/full", Trace.ID, "full");
                assertThat(refused.statusCode()).isEqualTo(429);
                assertThat(refused.headers().firstValue("Retry-After")).hasValue("60");
            }
        } finally {
            IntStream.range(0, seats).forEach(seat -> room.giveBack());
        }
        assertThat(seats).isEqualTo(5000);
    }

    @Test
    void requestWhenUrlAndHandlerDelayThenWaitsForBothAndPaysEachOnce() {
        assertThat(server.get("/ctx/both", Trace.ID, "both").body())
                .isEqualTo("[PERMITTED slow 5, PERMITTED handler 5]");
        long start = System.nanoTime();

        assertThat(server.get("/ctx/both", Trace.ID, "both").body()).isEqualTo("[DELAYED slow 4, DELAYED handler 4]");

        assertThat(elapsed(start)).isGreaterThanOrEqualTo(Duration.ofMillis(200));
        assertThat(Trace.take("both")).hasSize(2);
    }

    @Test
    void uploadWhenHandlerDelaysThenIsStillThere() {
        for (int i = 0; i < 2; i++) {
            HttpResponse<String> response = server.send(
                    "POST", "/ctx/upload", """
                    --x\r
                    Content-Disposition: form-data; name="file"; filename="a.txt"\r
                    \r
                    content\r
                    --x--\r
                    """, "Content-Type", "multipart/form-data; boundary=x", Trace.ID, "upload");
            assertThat(response.body()).isEqualTo("content");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/ctx/unsupported/in-front", "/ctx/behind"})
    void requestWhenAFilterDoesNotSupportAsyncThenWaitsOnItsThread(String path) {
        assertThat(server.get(path, Trace.ID, path).body()).isEqualTo("served");
        long start = System.nanoTime();

        assertThat(server.get(path, Trace.ID, path).body()).isEqualTo("served");

        assertThat(elapsed(start)).isGreaterThanOrEqualTo(Duration.ofMillis(100));
        assertThat(server.bean(WaitingRoom.class).waiting()).isZero();
    }

    @Test
    void serverWhenStoppedThenAnswersThoseThatWaitAndDoesNotServeThem() {
        CompletableFuture<HttpResponse<String>> waiting;
        try (WebServer stopping = WebServer.start(yaml, Application.class)) {
            stopping.get("/ctx/full", Trace.ID, "stop");
            waiting = stopping.getLater("/ctx/full", Trace.ID, "stop");
            await().until(() -> stopping.bean(WaitingRoom.class).waiting() == 1);
        }
        assertThat(waiting.join().statusCode()).isEqualTo(503);
        assertThat(Trace.take("stop")).hasSize(1);
    }

    /** Jetty would take the second one past its own filter for handshakes, to another handler. */
    @Test
    void handshakeWhenDelayedThenTheWebSocketOpensOrNothingDoes() {
        assertThat(echo()).isEqualTo("hello");
        if (!jetty) {
            assertThat(echo()).isEqualTo("hello");
            return;
        }
        assertThatThrownBy(DelayedRequestsTests::echo)
                .cause()
                .isInstanceOfSatisfying(
                        WebSocketHandshakeException.class,
                        e -> assertThat(e.getResponse().statusCode()).isEqualTo(503));
    }

    /** What an endpoint answers to a greeting. */
    private static String echo() {
        CompletableFuture<String> echo = new CompletableFuture<>();
        WebSocket socket = HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .header(Trace.ID, "socket")
                .buildAsync(URI.create("ws://localhost:" + server.port() + "/ctx/slow/echo"), new Listener() {
                    @Override
                    public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence text, boolean last) {
                        echo.complete(text.toString());
                        return null;
                    }
                })
                .join();
        socket.sendText("hello", true).join();
        String answer = echo.orTimeout(10, TimeUnit.SECONDS).join();
        socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
        return answer;
    }

    private static Duration elapsed(long start) {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {

        @Bean
        Ticker stoppedClock() {
            return () -> 0;
        }

        @Bean
        FilterRegistrationBean<Filter> unsupportedInFront() {
            return unsupported(-200, "/unsupported/*");
        }

        @Bean
        FilterRegistrationBean<Filter> unsupportedBehind() {
            FilterRegistrationBean<Filter> registration = unsupported(0, "/behind");
            // without the second, Jetty would not start together with zones that delay
            registration.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.ASYNC);
            return registration;
        }

        private static FilterRegistrationBean<Filter> unsupported(int order, String pattern) {
            FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(Trace.filter("unsupported"));
            registration.setOrder(order);
            registration.setAsyncSupported(false);
            registration.addUrlPatterns(pattern);
            return registration;
        }

        @Bean
        ServletListenerRegistrationBean<ServletContextListener> sockets() {
            return new ServletListenerRegistrationBean<>(new ServletContextListener() {
                @Override
                public void contextInitialized(ServletContextEvent event) {
                    Object container = event.getServletContext().getAttribute(ServerContainer.class.getName());
                    try {
                        ((ServerContainer) Objects.requireNonNull(container)).addEndpoint(Echo.class);
                    } catch (DeploymentException e) {
                        throw new IllegalStateException(e);
                    }
                }
            });
        }

        @Bean
        Endpoints endpoints() {
            return new Endpoints();
        }
    }

    /** Says again what it is told. */
    @ServerEndpoint("/slow/echo")
    public static class Echo {

        @OnMessage
        public String echo(String text) {
            return text;
        }
    }

    @RestController
    static class Endpoints {

        static final AtomicInteger CROWD = new AtomicInteger();

        @GetMapping("/slow/{*rest}")
        String slow(@PathVariable String rest, HttpServletRequest request) {
            String below =
                    request.getRequestURI().substring(request.getContextPath().length());
            return String.join(
                    " ",
                    rest,
                    below,
                    request.getServletPath(),
                    String.valueOf(request.getQueryString()),
                    String.valueOf(request.getParameter("c")));
        }

        @GetMapping("/both")
        @RateLimited("handler")
        String both(HttpServletRequest request, RateLimitContext limits) {
            Trace.note(request, "handler");
            return limits.decisions().stream()
                    .map(decision -> decision.outcome() + " " + decision.zone() + " " + decision.remaining())
                    .toList()
                    .toString();
        }

        @GetMapping({"/crowd", "/crowd/head"})
        String crowd() {
            CROWD.incrementAndGet();
            return "crowd";
        }

        @GetMapping("/free")
        String free() {
            return "free";
        }

        @GetMapping("/full")
        String full(HttpServletRequest request) {
            Trace.note(request, "handler");
            return "full";
        }

        @PostMapping("/upload")
        @RateLimited("handler")
        String upload(@RequestParam MultipartFile file) throws IOException {
            return new String(file.getBytes(), StandardCharsets.UTF_8);
        }

        @GetMapping("/unsupported/in-front")
        String unsupported() {
            return "served";
        }

        @GetMapping("/behind")
        @RateLimited("handler")
        String behind() {
            return "served";
        }
    }
}
