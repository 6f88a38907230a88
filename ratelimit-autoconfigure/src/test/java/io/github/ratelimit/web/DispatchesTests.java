package io.github.ratelimit.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.ratelimit.RateLimited;
import io.github.ratelimit.fixture.WebServer;
import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.policy.PolicyHolder;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.store.local.Ticker;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/**
 * Every way in which a request may be dispatched and may end, through both doors: each is charged once, and what it
 * occupies comes back once. The clock of the zones stands still, so that no permit comes back by time.
 */
@ParameterizedClass(name = "{0}")
@ValueSource(strings = {"tomcat", "jetty"})
class DispatchesTests {

    private static final String YAML = """
            ratelimit:
              zones:
                five: { key: "header:X-Id", rate: 5/h }
                places: { key: "header:X-Id", algorithm: concurrency, max-concurrent: 6 }
              rules:
                - { path: /, zones: [five, places] }
                - { path: /url/hold, zones: [places] }
                - { path: /annotated, unlimited: true }
            """;

    private static WebServer server;

    DispatchesTests(String container) {
        // that start() has been told
    }

    @BeforeParameterizedClassInvocation
    static void start(String container) {
        Endpoints.HELD.clear();
        Endpoints.onJetty = container.equals("jetty");
        server = WebServer.start(WebServer.on(container) + WebServer.WITHOUT_SECURITY + YAML, Application.class);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        server.close();
    }

    static Stream<Arguments> endings() {
        return Stream.of(
                        "plain 200",
                        "exception 500",
                        "error 500",
                        "sendError 409",
                        "callable 200",
                        "callableFails 500",
                        "deferred 200",
                        "deferredFails 500",
                        "timeout 503",
                        "sse 200",
                        "stream 200",
                        "forward 200",
                        "include 200",
                        "redispatch 200",
                        "completed 200",
                        "again 200")
                .map(ending -> ending.split(" "))
                .flatMap(ending -> Stream.of("/url/", "/annotated/")
                        .map(door -> Arguments.of(door + ending[0], Integer.parseInt(ending[1]))));
    }

    @ParameterizedTest
    @MethodSource("endings")
    void requestThenIsChargedOnceHoweverItIsDispatched(String path, int status) {
        List<Integer> statuses =
                IntStream.range(0, 6).mapToObj(i -> server.getLater(path, Trace.ID, path)).toList().stream()
                        .map(response -> response.join().statusCode())
                        .sorted()
                        .toList();

        assertThat(statuses).containsExactlyInAnyOrder(status, status, status, status, status, 429);
        assertThat(Trace.take(path))
                .filteredOn(station -> station.startsWith("handler"))
                .hasSize(5);
    }

    @ParameterizedTest
    @MethodSource("endings")
    void requestWhenItEndsThenWhatItOccupiedComesBackOnce(String path, int status) {
        String id = "occupied" + path;
        String door = path.substring(0, path.indexOf('/', 1) + 1);
        CompletableFuture<HttpResponse<String>> other = hold(door, id);

        assertThat(server.get(path, Trace.ID, id).statusCode()).isEqualTo(status);
        soon().untilAsserted(() -> assertThat(occupied(id)).isEqualTo(1));
        server.get(door + "plain", Trace.ID, id);
        soon().untilAsserted(() -> assertThat(occupied(id)).isEqualTo(1));

        Endpoints.letGo(id);
        assertThat(other.join().statusCode()).isEqualTo(200);
        soon().untilAsserted(() -> assertThat(occupied(id)).isZero());
        Trace.take(id);
    }

    @ParameterizedTest
    @MethodSource("endless")
    void requestWhenClientDisconnectsThenWhatItOccupiedComesBackOnce(String path) throws IOException {
        String id = "left" + path;
        String door = path.substring(0, path.indexOf('/', 1) + 1);
        CompletableFuture<HttpResponse<String>> other = hold(door, id);
        try (Socket socket = new Socket("localhost", server.port())) {
            String request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + Trace.ID + ": " + id + "\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            assertThat(socket.getInputStream().read()).isEqualTo('H');
            assertThat(occupied(id)).isEqualTo(2);
            socket.setSoLinger(true, 0);
        }
        soon().untilAsserted(() -> assertThat(occupied(id)).isEqualTo(1));
        server.get(door + "plain", Trace.ID, id);
        soon().untilAsserted(() -> assertThat(occupied(id)).isEqualTo(1));

        Endpoints.letGo(id);
        other.join();
        soon().untilAsserted(() -> assertThat(occupied(id)).isZero());
    }

    static Stream<String> endless() {
        return Stream.of("/url/sseForever", "/url/streamForever", "/annotated/sseForever", "/annotated/streamForever");
    }

    @ParameterizedTest
    @MethodSource("doors")
    void requestWhenRefusedThenGivesNothingBack(String door) {
        String id = "refused" + door;
        List<CompletableFuture<HttpResponse<String>>> held = IntStream.range(0, 6)
                .mapToObj(i -> server.getLater(door + "hold", Trace.ID, id))
                .toList();
        soon().until(() -> occupied(id) == 6);
        for (int i = 0; i < 7; i++) {
            HttpResponse<String> refused = server.get(door + "plain", Trace.ID, id);
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.headers().firstValue("Retry-After")).hasValue("1");
            assertThat(occupied(id)).isEqualTo(6);
        }
        Endpoints.letGo(id);
        assertThat(held)
                .allSatisfy(response -> assertThat(response.join().statusCode()).isEqualTo(200));
        soon().until(() -> occupied(id) == 0);
        assertThat(server.get(door + "plain", Trace.ID, id).statusCode())
                .as("the refused paid nothing")
                .isEqualTo(200);
    }

    static Stream<String> doors() {
        return Stream.of("/url/", "/annotated/");
    }

    /** A request that occupies a place until it is let go. */
    private static CompletableFuture<HttpResponse<String>> hold(String door, String id) {
        CompletableFuture<HttpResponse<String>> held = server.getLater(door + "hold", Trace.ID, id);
        soon().until(() -> occupied(id) == 1);
        return held;
    }

    private static ConditionFactory soon() {
        return await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5));
    }

    private static long occupied(String id) {
        Zone zone = Objects.requireNonNull(
                server.bean(PolicyHolder.class).get().zones().get("places"));
        return 6
                - server.bean(RateLimiter.class)
                        .peek(zone, zone.key().ofRaw(id), 0)
                        .remaining();
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {

        @Bean
        Ticker stoppedClock() {
            return () -> 0;
        }

        @Bean
        ByUrl byUrl() {
            return new ByUrl();
        }

        @Bean
        Annotated annotated() {
            return new Annotated();
        }
    }

    @Controller
    @RequestMapping("/url")
    static class ByUrl extends Endpoints {}

    @Controller
    @RequestMapping("/annotated")
    @RateLimited("five")
    @RateLimited("places")
    static class Annotated extends Endpoints {

        @Override
        @RateLimited("places")
        public String hold(HttpServletRequest request) throws InterruptedException {
            return super.hold(request);
        }
    }

    /** One handler for each way to go on and to end. */
    abstract static class Endpoints {

        private static final Map<String, CountDownLatch> HELD = new ConcurrentHashMap<>();
        private static volatile boolean onJetty;

        static void letGo(String id) {
            held(id).countDown();
        }

        private static CountDownLatch held(@Nullable String id) {
            return HELD.computeIfAbsent(Objects.requireNonNull(id), key -> new CountDownLatch(1));
        }

        @GetMapping("/hold")
        @ResponseBody
        public String hold(HttpServletRequest request) throws InterruptedException {
            held(request.getHeader(Trace.ID)).await();
            return "held";
        }

        @GetMapping("/plain")
        @ResponseBody
        public String plain(HttpServletRequest request) {
            Trace.note(request, "handler");
            return "plain";
        }

        @GetMapping("/target")
        @ResponseBody
        public String target(HttpServletRequest request) {
            Trace.note(request, "target");
            return "target";
        }

        @GetMapping("/exception")
        public void exception(HttpServletRequest request, HttpServletResponse response) {
            Trace.note(request, "handler");
            throw new IllegalStateException("expected by the test");
        }

        @GetMapping("/error")
        public void error(HttpServletRequest request, HttpServletResponse response) {
            Trace.note(request, "handler");
            throw new AssertionError("expected by the test");
        }

        @GetMapping("/sendError")
        public void sendError(HttpServletRequest request, HttpServletResponse response) throws IOException {
            Trace.note(request, "handler");
            response.sendError(HttpServletResponse.SC_CONFLICT);
        }

        @GetMapping("/callable")
        @ResponseBody
        public Callable<String> callable(HttpServletRequest request) {
            Trace.note(request, "handler");
            return () -> "callable";
        }

        @GetMapping("/callableFails")
        @ResponseBody
        public Callable<String> callableFails(HttpServletRequest request) {
            Trace.note(request, "handler");
            return () -> {
                throw new IllegalStateException("expected by the test");
            };
        }

        @GetMapping("/deferred")
        @ResponseBody
        public DeferredResult<String> deferred(HttpServletRequest request) {
            Trace.note(request, "handler");
            DeferredResult<String> result = new DeferredResult<>();
            elsewhere(() -> result.setResult("deferred"));
            return result;
        }

        @GetMapping("/deferredFails")
        @ResponseBody
        public DeferredResult<String> deferredFails(HttpServletRequest request) {
            Trace.note(request, "handler");
            DeferredResult<String> result = new DeferredResult<>();
            elsewhere(() -> result.setErrorResult(new AssertionError("expected by the test")));
            return result;
        }

        @GetMapping("/timeout")
        @ResponseBody
        public DeferredResult<String> timeout(HttpServletRequest request) {
            Trace.note(request, "handler");
            return new DeferredResult<>(20L);
        }

        @GetMapping("/sse")
        public SseEmitter sse(HttpServletRequest request) {
            Trace.note(request, "handler");
            SseEmitter emitter = new SseEmitter();
            elsewhere(() -> {
                send(emitter);
                emitter.complete();
            });
            return emitter;
        }

        @GetMapping("/sseForever")
        public SseEmitter sseForever() {
            SseEmitter emitter = new SseEmitter(0L);
            elsewhere(() -> {
                while (send(emitter)) {
                    Thread.onSpinWait();
                }
            });
            return emitter;
        }

        private static void elsewhere(Runnable task) {
            new Thread(task).start();
        }

        private static boolean send(SseEmitter emitter) {
            try {
                emitter.send("event");
                return true;
            } catch (IOException | IllegalStateException e) {
                // Tomcat ends the request by itself now, Jetty leaves that to the application
                if (onJetty) {
                    emitter.completeWithError(e);
                }
                return false;
            }
        }

        @GetMapping("/stream")
        public StreamingResponseBody stream(HttpServletRequest request) {
            Trace.note(request, "handler");
            return out -> out.write(65);
        }

        @GetMapping("/streamForever")
        public StreamingResponseBody streamForever() {
            return out -> {
                while (true) {
                    out.write(65);
                    out.flush();
                }
            };
        }

        @GetMapping("/forward")
        public String forward(HttpServletRequest request) {
            Trace.note(request, "handler");
            return "forward:" + target(request, "/forward");
        }

        @GetMapping("/include")
        public void include(HttpServletRequest request, HttpServletResponse response)
                throws ServletException, IOException {
            Trace.note(request, "handler");
            request.getRequestDispatcher(target(request, "/include")).include(request, response);
        }

        @GetMapping("/redispatch")
        public void redispatch(HttpServletRequest request, HttpServletResponse response) {
            Trace.note(request, "handler");
            request.startAsync().dispatch(target(request, "/redispatch"));
        }

        private static String target(HttpServletRequest request, String self) {
            return request.getRequestURI().replace(self, "/target");
        }

        @GetMapping("/completed")
        public void completed(HttpServletRequest request, HttpServletResponse response) {
            Trace.note(request, "handler");
            AsyncContext context = request.startAsync();
            context.start(context::complete);
        }

        @GetMapping("/again")
        public void again(HttpServletRequest request, HttpServletResponse response) {
            if (request.getDispatcherType() == DispatcherType.REQUEST) {
                Trace.note(request, "handler");
                request.startAsync().dispatch();
            } else {
                AsyncContext context = request.startAsync(request, response);
                context.start(context::complete);
            }
        }
    }
}
