package io.github.ratelimit.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.Decision.Outcome;
import io.github.ratelimit.RateLimitContext;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimited;
import io.github.ratelimit.fixture.WebServer;
import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.limiter.Tier;
import io.github.ratelimit.limiter.ZoneStatistics;
import io.github.ratelimit.policy.PolicyHolder;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.store.local.Ticker;
import jakarta.servlet.http.HttpServletResponse;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.UrlBasedCorsConfigurationSource;
import org.springframework.web.filter.CorsFilter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/** What a client and a handler are told about the quota. The clock of the zones stands still. */
@ParameterizedClass(name = "{0}")
@ValueSource(strings = {"tomcat", "jetty"})
class AnswersTests {

    private static final String PROBLEM = "application/problem+json";

    private static final String YAML = """
            ratelimit:
              response.headers: legacy
              zones:
                one: { key: "header:X-Id", rate: 1/h }
                three: { key: "header:X-Id", rate: 3/h }
                ten: { key: "header:X-Id", rate: 10/h }
                tried: { key: "header:X-Id", rate: 1/h, dry-run: true }
              rules:
                - { path: /one, zones: [one] }
                - { path: /ten, zones: [ten] }
                - { path: /ten/three, zones: [three], inherit: true, cost: 2 }
                - { path: /ten/three/one, zones: [one], inherit: true }
                - { path: /tried/zone, zones: [tried] }
                - { path: /tried/rule, zones: [one], dry-run: true }
                - { path: /settled, zones: [ten] }
            """;

    private static WebServer server;

    AnswersTests(String container) {
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

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            */*                             | application/problem+json
            application/json                | application/problem+json
            application/problem+json        | application/problem+json
            application/*;q=0.1, text/html  | application/problem+json
            text/html                       | text/plain;charset=UTF-8
            application/json;q=0, text/*    | text/plain;charset=UTF-8
            nonsense                        | application/problem+json
            text/html, */*;q=0.8            | application/problem+json
            */*;q=0                         | text/plain;charset=UTF-8
            */*, application/json;q=0, application/problem+json;q=0 | text/plain;charset=UTF-8
            application/*;q=0, application/json | application/problem+json
            text/*, application/xml         | text/plain;charset=UTF-8
            image/*                         | text/plain;charset=UTF-8
            ,,,,;;;==                       | application/problem+json
            application/json;q=x            | application/problem+json
            application/json;q=2            | application/problem+json
            text/html;charset=none-such     | application/problem+json
            text/html;q="                   | application/problem+json
            /                               | application/problem+json
            */json                          | application/problem+json
            """)
    void refusalThenIsWrittenInWhatTheClientAccepts(String accept, String type) {
        server.get("/one", Trace.ID, "accept " + accept);
        HttpResponse<String> refused = server.get("/one", Trace.ID, "accept " + accept, "Accept", accept);

        assertThat(refused.headers().firstValue("Content-Type").orElseThrow()).isEqualToIgnoringCase(type);
        assertThat(refused.headers().firstValue("Retry-After")).hasValue("3600");
        assertThat(refused.body())
                .isEqualTo(type.equals(PROBLEM) ? """
                {"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Quota exceeded",\
                "status":429,"detail":"The quota is used up. Try again in 3600 seconds.","instance":"/one",\
                "violated-policies":["one"]}""" : "The quota is used up. Try again in 3600 seconds.\n");
        assertThat(refused.headers().firstValueAsLong("Content-Length"))
                .hasValue(refused.body().length());
    }

    @Test
    void refusalWhenHeadThenHasNoBodyAndCountsAsGet() {
        assertThat(server.send("HEAD", "/one", null, Trace.ID, "head").statusCode())
                .isEqualTo(200);
        HttpResponse<String> refused = server.send("HEAD", "/one", null, Trace.ID, "head");

        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.body()).isEmpty();
        assertThat(refused.headers().firstValue("Content-Type")).hasValue(PROBLEM);
        assertThat(server.get("/one", Trace.ID, "head").statusCode()).isEqualTo(429);
    }

    @Test
    void refusalWhenItIsAnUploadThenTheConnectionGoesOn() throws IOException {
        server.get("/one", Trace.ID, "upload");
        try (Socket socket = new Socket("localhost", server.port())) {
            String head = "POST /one HTTP/1.1\r\nHost: localhost\r\n" + Trace.ID
                    + ": upload\r\nContent-Length: 100000\r\n\r\n";
            socket.getOutputStream().write((head + "x".repeat(100_000)).getBytes(StandardCharsets.US_ASCII));
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            assertThat(in.readLine()).startsWith("HTTP/1.1 429");
            socket.getOutputStream()
                    .write("GET /free HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            assertThat(in.lines().filter(line -> line.contains("HTTP/1.1")).findFirst())
                    .hasValueSatisfying(line -> assertThat(line).contains("HTTP/1.1 200"));
        }
    }

    /** RL-49, with a filter bean. */
    @Test
    void refusalThenKeepsHeadersOfFiltersInFrontAndHasThoseOfCors() {
        HttpResponse<String> refused = refused("/one", Trace.ID, "front", "Origin", "http://app.example");

        assertThat(refused.headers().allValues("X-Request-Id")).containsExactly("7");
        assertThat(refused.headers().allValues("Access-Control-Allow-Origin")).containsExactly("http://app.example");
    }

    @Test
    void refusalWhenHandlerHasPreparedAnotherAnswerThenNothingOfItIsLeft() {
        HttpResponse<String> refused = refused("/prepared", Trace.ID, "prepared", "Origin", "http://app.example");

        assertThat(refused.headers().firstValue("ETag")).isEmpty();
        assertThat(refused.headers().firstValue("Content-Type")).hasValue(PROBLEM);
        assertThat(refused.headers().allValues("X-Request-Id")).containsExactly("7");
        assertThat(refused.headers().allValues("Access-Control-Allow-Origin")).containsExactly("http://app.example");
        assertThat(refused.body()).startsWith("{\"type\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/service", "/service/async", "/service/wrapped"})
    void refusalWhenItComesFromABeanThenIsTheSame(String path) {
        HttpResponse<String> refused = refused(path, Trace.ID, path);

        assertThat(refused.headers().firstValue("Content-Type")).hasValue(PROBLEM);
        assertThat(refused.headers().firstValue("Retry-After")).hasValue("3600");
        assertThat(refused.body()).contains("\"violated-policies\":[\"one\"]", "\"instance\":\"" + path + "\"");
    }

    @Test
    void refusalWhenItIsHandledByNameThenThatHandlerAnswers() {
        HttpResponse<String> refused = server.get("/named", Trace.ID, "named");
        assertThat(refused.statusCode()).isEqualTo(200);

        refused = server.get("/named", Trace.ID, "named");

        assertThat(refused.statusCode()).isEqualTo(423);
        assertThat(refused.body()).isEqualTo("named one");
    }

    @Test
    void headersThenTellOfTheZoneWithTheFewestLeftOnly() {
        HttpResponse<String> first = server.get("/ten/three", Trace.ID, "legacy");
        HttpResponse<String> refused = server.get("/ten/three", Trace.ID, "legacy");

        assertThat(quota(first)).containsExactly("3", "1", "2400");
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(quota(refused)).containsExactly("3", "1", "2400");
        assertThat(quota(server.get("/ten", Trace.ID, "legacy")))
                .as("a refused request pays nothing")
                .containsExactly("10", "8", "720");
        assertThat(quota(server.get("/free", Trace.ID, "legacy"))).isEmpty();
    }

    @Test
    void headersWhenBodyIsStreamedThenPrecedeIt() {
        assertThat(quota(server.get("/ten/stream", Trace.ID, "stream"))).containsExactly("10", "9", "360");
    }

    @Test
    void ruleWhenItInheritsThenChargesAllAboveAtTheirOwnCost() {
        assertThat(server.get("/ten/three/one", Trace.ID, "inherit").body())
                .isEqualTo("[one PERMITTED 0, three PERMITTED 1, ten PERMITTED 9]");
        HttpResponse<String> refused = server.get("/ten/three/one", Trace.ID, "inherit");
        assertThat(refused.body()).contains("\"violated-policies\":[\"one\"]");
        assertThat(quota(server.get("/ten", Trace.ID, "inherit"))).containsExactly("10", "8", "720");
    }

    @ParameterizedTest
    @CsvSource({"/tried/zone, tried", "/tried/rule, one"})
    void dryRunThenAdmitsAndCountsWhatItWouldRefuse(String path, String zone) {
        ZoneStatistics statistics = server.bean(RateLimiter.class).statistics(zone(zone));
        assertThat(server.get(path, Trace.ID, path).body()).isEqualTo("[" + zone + " PERMITTED 0]");
        assertThat(server.get(path, Trace.ID, path).body()).isEqualTo("[" + zone + " DRY_RUN_REJECTED 0]");
        assertThat(statistics.count(Outcome.DRY_RUN_REJECTED, Tier.LOCAL)).isEqualTo(1);
    }

    @Test
    void contextWhenNothingLimitsTheRequestThenIsThereAndEmpty() {
        assertThat(server.get("/free", Trace.ID, "free").body()).isEqualTo("[]");
    }

    @Test
    void contextWhenHandlerChargesAndRefundsThenTheNextRequestPays() {
        assertThat(server.get("/settled?charge=4", Trace.ID, "settled").statusCode())
                .isEqualTo(200);
        assertThat(remaining("settled")).isEqualTo(5);
        assertThat(server.get("/settled?refund=9", Trace.ID, "settled").statusCode())
                .isEqualTo(200);
        assertThat(remaining("settled")).as("no more than it paid").isEqualTo(5);
        assertThat(server.get("/settled?charge=14", Trace.ID, "settled").statusCode())
                .isEqualTo(200);

        HttpResponse<String> indebted = server.get("/settled", Trace.ID, "settled");
        assertThat(indebted.statusCode()).isEqualTo(429);
        assertThat(indebted.headers().firstValue("Retry-After")).hasValue(Integer.toString(11 * 360));
    }

    @Test
    void contextWhenChargedAfterTheResponseThenTheNextRequestPays() {
        for (String path : List.of("/settled/later", "/settled/deferred")) {
            assertThat(server.get(path, Trace.ID, path).body()).isEqualTo("later");
            Objects.requireNonNull(Endpoints.LEFT.getAndSet(null)).charge("ten", 7);
            assertThat(remaining(path)).isEqualTo(2);
        }
    }

    private static HttpResponse<String> refused(String path, String... headers) {
        assertThat(server.get(path, headers).statusCode()).isEqualTo(200);
        HttpResponse<String> refused = server.get(path, headers);
        assertThat(refused.statusCode()).isEqualTo(429);
        return refused;
    }

    private static List<String> quota(HttpResponse<String> response) {
        return List.copyOf(
                WebServer.headers(response, "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
                        .values());
    }

    private static long remaining(String id) {
        Zone zone = zone("ten");
        return server.bean(RateLimiter.class)
                .peek(zone, zone.key().ofRaw(id), 0)
                .remaining();
    }

    private static Zone zone(String name) {
        return Objects.requireNonNull(
                server.bean(PolicyHolder.class).get().zones().get(name));
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {

        @Bean
        Ticker stoppedClock() {
            return () -> 0;
        }

        @Bean
        FilterRegistrationBean<?> requestId() {
            FilterRegistrationBean<?> registration = new FilterRegistrationBean<>((request, response, chain) -> {
                ((HttpServletResponse) response).setHeader("X-Request-Id", "7");
                chain.doFilter(request, response);
            });
            registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
            return registration;
        }

        @Bean
        CorsFilter corsFilter() {
            CorsConfiguration cors = new CorsConfiguration();
            cors.addAllowedOrigin("http://app.example");
            UrlBasedCorsConfigurationSource source = new UrlBasedCorsConfigurationSource();
            source.registerCorsConfiguration("/**", cors);
            return new CorsFilter(source);
        }

        @Bean
        Limited limited() {
            return new Limited();
        }

        @Bean
        Endpoints endpoints(Limited limited) {
            return new Endpoints(limited);
        }

        @Bean
        Named named() {
            return new Named();
        }

        @Bean
        CatchAll catchAll() {
            return new CatchAll();
        }
    }

    @Service
    static class Limited {

        @RateLimited("one")
        public String call() {
            return "called";
        }
    }

    /** Would make a 500 of every refusal. */
    @RestControllerAdvice
    static class CatchAll {

        @ExceptionHandler(Exception.class)
        @ResponseStatus(HttpStatus.INTERNAL_SERVER_ERROR)
        String failed() {
            return "failed";
        }
    }

    @RestController
    static class Named {

        @GetMapping("/named")
        @RateLimited("one")
        String named() {
            return "named";
        }

        @ExceptionHandler
        @ResponseStatus(HttpStatus.LOCKED)
        String refused(RateLimitExceededException e) {
            return "named " + e.decision().zone();
        }
    }

    @RestController
    static class Endpoints {

        /** What a handler has left behind. */
        static final AtomicReference<@Nullable RateLimitContext> LEFT = new AtomicReference<>();

        private final Limited limited;

        Endpoints(Limited limited) {
            this.limited = limited;
        }

        @GetMapping({"/one", "/free", "/ten", "/ten/three", "/ten/three/one", "/tried/zone", "/tried/rule"})
        String any(RateLimitContext limits) {
            return limits.decisions().stream()
                    .map(decision -> decision.zone() + " " + decision.outcome() + " " + decision.remaining())
                    .toList()
                    .toString();
        }

        @PostMapping("/one")
        String post() {
            return "posted";
        }

        @GetMapping("/prepared")
        void prepared(HttpServletResponse response) throws IOException {
            response.setHeader("ETag", "\"1\"");
            response.setContentType("text/csv");
            response.getOutputStream().print("a,b");
            response.getOutputStream().print(limited.call());
        }

        @GetMapping("/service")
        String service() {
            return limited.call();
        }

        @GetMapping("/service/async")
        CompletableFuture<String> async() {
            CompletableFuture<String> result = new CompletableFuture<>();
            try {
                result.complete(limited.call());
            } catch (RateLimitExceededException e) {
                result.completeExceptionally(e);
            }
            return result;
        }

        @GetMapping("/service/wrapped")
        String wrapped() {
            try {
                return limited.call();
            } catch (RateLimitExceededException e) {
                throw new IllegalStateException(e);
            }
        }

        @GetMapping("/ten/stream")
        StreamingResponseBody stream() {
            return out -> {
                out.write(65);
                out.flush();
                out.write(66);
            };
        }

        @GetMapping("/settled")
        String settled(
                RateLimitContext limits,
                @RequestParam(defaultValue = "0") long charge,
                @RequestParam(defaultValue = "0") long refund) {
            limits.charge(charge);
            limits.refund(refund);
            return "settled";
        }

        @GetMapping("/settled/later")
        String later(RateLimitContext limits) {
            LEFT.set(limits);
            return "later";
        }

        @GetMapping("/settled/deferred")
        CompletableFuture<String> deferred(RateLimitContext limits) {
            return CompletableFuture.supplyAsync(() -> later(limits));
        }
    }
}
