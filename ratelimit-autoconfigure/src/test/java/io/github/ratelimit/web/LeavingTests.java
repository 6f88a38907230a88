package io.github.ratelimit.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.ratelimit.RateLimited;
import io.github.ratelimit.fixture.WebServer;
import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.policy.PolicyHolder;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.store.local.Ticker;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * A request that waits for its turn while it occupies a place gives that back once, whether its client leaves or its
 * thread is interrupted. Another request holds a place all the while, whose release would show a second one.
 */
@ParameterizedClass(name = "{0}")
@ValueSource(strings = {"tomcat", "jetty"})
class LeavingTests {

    private static final String YAML = """
            ratelimit:
              zones:
                places: { key: "header:X-Id", algorithm: concurrency, max-concurrent: 5 }
                slow: { key: "header:X-Id", algorithm: leaky-bucket, rate: 1/s, burst: 5 }
              rules:
                - { path: /url, zones: [slow, places] }
                - { path: /hold, zones: [places] }
                - { path: /thread, zones: [slow, places] }
            """;

    private static WebServer server;

    LeavingTests(String container) {
        // that start() has been told
    }

    @BeforeParameterizedClassInvocation
    static void start(String container) {
        Endpoints.HELD.clear();
        server = WebServer.start(WebServer.on(container) + WebServer.WITHOUT_SECURITY + YAML, Application.class);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/url", "/annotated", "/service", "/thread"})
    void clientWhenItLeavesDuringTheWaitThenItsPlaceComesBackOnce(String path) throws Exception {
        String id = "left" + path;
        CompletableFuture<HttpResponse<String>> held = hold(id);
        server.get(path, Application.ID, id);
        try (Socket socket = new Socket("localhost", server.port())) {
            String request =
                    "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + Application.ID + ": " + id + "\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            soon().until(() -> occupied(id) == 2);
            socket.setSoLinger(true, 0);
        }
        onlyTheOtherStays(id, held);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/service", "/thread"})
    void threadWhenInterruptedDuringTheWaitThenItsPlaceComesBackOnce(String path) throws Exception {
        String id = "interrupted" + path;
        CompletableFuture<HttpResponse<String>> held = hold(id);
        server.get(path, Application.ID, id);
        CompletableFuture<HttpResponse<String>> waiting = server.getLater(path, Application.ID, id);
        soon().until(() -> occupied(id) == 2);
        Thread thread = Objects.requireNonNull(Application.THREADS.get(id));
        soon().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
        thread.interrupt();
        assertThat(waiting.join().statusCode()).isIn(200, 429);
        onlyTheOtherStays(id, held);
    }

    private static void onlyTheOtherStays(String id, CompletableFuture<HttpResponse<String>> held) {
        soon().until(() -> occupied(id) == 1);
        // a second release would come when the wait ends or when the container is done: both are over after this time
        await().during(Duration.ofMillis(1500)).atMost(Duration.ofSeconds(5)).until(() -> occupied(id) == 1);
        Endpoints.letGo(id);
        assertThat(held.join().statusCode()).isEqualTo(200);
        soon().until(() -> occupied(id) == 0);
    }

    private static CompletableFuture<HttpResponse<String>> hold(String id) {
        CompletableFuture<HttpResponse<String>> held = server.getLater("/hold", Application.ID, id);
        soon().until(() -> occupied(id) == 1);
        return held;
    }

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(10)).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5));
    }

    private static long occupied(String id) {
        Zone zone = Objects.requireNonNull(
                server.bean(PolicyHolder.class).get().zones().get("places"));
        return 5
                - server.bean(RateLimiter.class)
                        .peek(zone, zone.key().ofRaw(id), 0)
                        .remaining();
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {

        static final String ID = "X-Id";
        static final Map<String, Thread> THREADS = new ConcurrentHashMap<>();

        @Bean
        Ticker clock() {
            return Ticker.system();
        }

        /** Has requests to /thread wait on their threads, and remembers these. */
        @Bean
        FilterRegistrationBean<Threads> threads() {
            FilterRegistrationBean<Threads> registration = new FilterRegistrationBean<>(new Threads());
            registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
            registration.addUrlPatterns("/thread", "/service");
            registration.setAsyncSupported(false);
            return registration;
        }

        @Bean
        Slow slow() {
            return new Slow();
        }

        @Bean
        Endpoints endpoints(Slow slow) {
            return new Endpoints(slow);
        }
    }

    private static final class Threads extends OncePerRequestFilter {

        @Override
        protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                throws ServletException, IOException {
            Application.THREADS.put(request.getHeader(Application.ID), Thread.currentThread());
            chain.doFilter(request, response);
            // what is left of an interrupt is not the server's business
            boolean interrupted = Thread.interrupted();
            response.setHeader("X-Interrupted", Boolean.toString(interrupted));
        }
    }

    @Service
    static class Slow {

        @RateLimited("slow")
        @RateLimited("places")
        public String call() {
            return "called";
        }
    }

    @RestController
    static class Endpoints {

        private static final Map<String, CountDownLatch> HELD = new ConcurrentHashMap<>();
        private final Slow slow;

        Endpoints(Slow slow) {
            this.slow = slow;
        }

        static void letGo(String id) {
            held(id).countDown();
        }

        private static CountDownLatch held(String id) {
            return HELD.computeIfAbsent(id, key -> new CountDownLatch(1));
        }

        @GetMapping("/hold")
        String hold(HttpServletRequest request) throws InterruptedException {
            assertThat(held(Objects.requireNonNull(request.getHeader(Application.ID)))
                            .await(30, TimeUnit.SECONDS))
                    .isTrue();
            return "held";
        }

        @GetMapping({"/url", "/thread"})
        String url() {
            return "url";
        }

        @RateLimited("slow")
        @RateLimited("places")
        @GetMapping("/annotated")
        String annotated() {
            return "annotated";
        }

        @GetMapping("/service")
        String service() {
            return slow.call();
        }
    }
}
