package io.github.ratelimit.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.RateLimited;
import io.github.ratelimit.fixture.WebServer;
import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.policy.PolicyHolder;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.store.local.Ticker;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Cases in which other limiters are known to have failed, through real HTTP; each test names its case. The clock of the
 * zones is moved by hand.
 */
class WildCasesTests {

    private static final String YAML = """
            ratelimit:
              client-ip.trusted-proxies: ["127.0.0.1/32", "::1/128"]
              response.headers: legacy
              zones:
                key10: { key: "header:X-Key", algorithm: fixed-window, rate: 10/m }
                second100: { algorithm: fixed-window, rate: 100/s }
                day2: { algorithm: fixed-window, rate: 2/24h }
                second2: { algorithm: fixed-window, rate: 2/s }
                minute10: { algorithm: fixed-window, rate: 10/m }
                bucket6: { rate: 6/m }
                key3: { key: "header:X-Key", rate: 3/7s }
                three: { rate: 3/m }
              rules:
                - { path: /, rate: 10/m }
                - { path: /burst, zones: [key10] }
                - { path: /quiet, zones: [second100, day2] }
                - { path: /items, zones: [three] }
                - { path: /codes, unlimited: true }
                - { path: /api, rate: 2/m }
                - { path: /api/search, rate: 5/m }
                - { path: /short-first, zones: [second2, minute10] }
                - { path: /long-first, zones: [minute10, second2] }
                - { path: /polled, zones: [bucket6] }
                - { path: /general/search, rate: 3/m }
                - { path: /general/other, rate: 8/m }
                - { path: /told, zones: [key3] }
            """;

    private static final AtomicLong NANOS = new AtomicLong();
    private static int clients;
    private static WebServer server;

    @BeforeAll
    static void start() {
        server = WebServer.start(WebServer.WITHOUT_SECURITY + YAML, Application.class);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** RL-11: a burst against a key that was never seen. */
    @Test
    void burstWhenKeyIsNewThenExactlyTheLimitIsAdmitted() {
        for (int round = 0; round < 5; round++) {
            String key = "burst" + round;
            List<CompletableFuture<HttpResponse<String>>> sent = IntStream.range(0, 60)
                    .mapToObj(i -> server.getLater("/burst", "X-Key", key))
                    .toList();
            assertThat(sent.stream().filter(answer -> answer.join().statusCode() == 200))
                    .hasSize(10);
        }
    }

    /** RL-13: who is quiet for long is not forgotten before his window is over. */
    @Test
    void clientWhenQuietForLongThenIsNotForgotten() {
        String client = client();
        assertThat(statuses(client, "/quiet", 2)).containsExactly(200, 200);
        advance(Duration.ofHours(23));
        for (int i = 0; i < 200; i++) {
            get(client(), "/quiet");
        }
        assertThat(statuses(client, "/quiet", 2)).containsExactly(429, 429);
        advance(Duration.ofHours(1).plusSeconds(1));
        assertThat(statuses(client, "/quiet", 1)).containsExactly(200);
    }

    /** RL-16: a rule has one budget, whatever stands behind its path, and so has a handler. */
    @Test
    void budgetWhenUrlsDifferThenIsOne() {
        String client = client();
        long before = keys("three");
        assertThat(List.of(
                        status(client, "/items/1"),
                        status(client, "/items/2?x=1"),
                        status(client, "/items/3"),
                        status(client, "/items/4")))
                .containsExactly(200, 200, 200, 429);
        assertThat(keys("three") - before).isEqualTo(1);

        assertThat(List.of(
                        status(client, "/codes/a"),
                        status(client, "/codes/b"),
                        status(client, "/codes/c"),
                        status(client, "/codes/d")))
                .containsExactly(200, 200, 200, 429);
        assertThat(keys("Endpoints#code")).isEqualTo(1);
    }

    /** RL-24; that two spellings of one prefix fail the start is shown where rules are compiled. */
    @Test
    void ruleWhenNamesBeginAlikeThenCoversWholeSegmentsOnly() {
        String client = client();
        assertThat(statuses(client, "/apiv2/x", 3)).containsOnly(200);
        assertThat(List.of(status(client, "/api"), status(client, "/api/"), status(client, "/api/x")))
                .containsExactly(200, 404, 429);
        assertThat(statuses(client, "/api/search/q", 6)).containsExactly(200, 200, 200, 200, 200, 429);
        assertThat(status(client, "/api/searching")).isEqualTo(429);
    }

    /** RL-26: what the short limit refuses costs the long one nothing, in either order. */
    @ParameterizedTest
    @ValueSource(strings = {"/short-first", "/long-first"})
    void limitsWhenOneRefusesThenTheOtherIsNotCharged(String path) {
        String client = client();
        assertThat(statuses(client, path, 20))
                .filteredOn(status -> status == 200)
                .hasSize(2);
        List<Integer> later = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            advance(Duration.ofMillis(1100));
            later.add(status(client, path));
        }
        assertThat(later).containsExactly(200, 200, 200, 200, 200, 200, 200, 200, 429, 429);
    }

    /** RL-28: who polls faster than permits come back gets as many as who waits. */
    @Test
    void clientWhenItPollsThenGetsAsMuchAsOneThatWaits() {
        String polling = client();
        String waiting = client();
        assertThat(statuses(polling, "/polled", 6)).containsOnly(200);
        assertThat(statuses(waiting, "/polled", 6)).containsOnly(200);
        int polled = 0;
        int waited = 0;
        long again = 0;
        for (long millis = 0; millis <= 65_000; millis += 300) {
            polled += status(polling, "/polled") == 200 ? 1 : 0;
            if (millis >= again) {
                HttpResponse<String> answer = get(waiting, "/polled");
                waited += answer.statusCode() == 200 ? 1 : 0;
                again = millis
                        + 1000
                                * answer.headers()
                                        .firstValueAsLong("Retry-After")
                                        .orElse(0);
            }
            advance(Duration.ofMillis(300));
        }
        assertThat(polled).isGreaterThanOrEqualTo(waited - 1).isPositive();
    }

    /** RL-30: a specific rule replaces the general one, an annotation comes on top, and nothing is charged twice. */
    @Test
    void rulesWhenSeveralMatchThenNoBudgetIsChargedTwice() {
        String client = client();
        assertThat(statuses(client, "/general/search", 20))
                .filteredOn(status -> status == 200)
                .hasSize(3);
        assertThat(remaining(get(client, "/x"))).isEqualTo("9");
        List<String> left = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            left.add(remaining(get(client, "/general/other")));
        }
        assertThat(left).as("of the five of the annotation").containsExactly("4", "3", "2", "1", "0");
        HttpResponse<String> refused = get(client, "/general/other");
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.body()).contains("\"violated-policies\":[\"Endpoints#other\"]");
    }

    /** RL-47: who waits as long as he was told is admitted. */
    @Test
    void retryAfterWhenItHasPassedThenTheNextRequestIsAdmitted() {
        Random random = new Random(47);
        for (int i = 0; i < 50; i++) {
            advance(Duration.ofNanos(random.nextInt(1_000_000_000)));
            String key = "told" + i;
            for (int j = 0; j < 3; j++) {
                assertThat(server.get("/told", "X-Key", key).statusCode()).isEqualTo(200);
                advance(Duration.ofNanos(random.nextInt(1_000_000_000)));
            }
            HttpResponse<String> refused = server.get("/told", "X-Key", key);
            while (refused.statusCode() == 200) {
                refused = server.get("/told", "X-Key", key);
            }
            long told = retryAfter(refused);
            assertThat(told).isBetween(1L, 7L);
            advance(Duration.ofSeconds(told - 1));
            HttpResponse<String> early = server.get("/told", "X-Key", key);
            if (early.statusCode() == 429) {
                assertThat(retryAfter(early)).as("shrinks").isEqualTo(1);
                advance(Duration.ofSeconds(1));
                assertThat(server.get("/told", "X-Key", key).statusCode()).isEqualTo(200);
            }
        }
    }

    private static String client() {
        clients++;
        return "198.18." + clients / 256 + "." + clients % 256;
    }

    private static void advance(Duration time) {
        NANOS.addAndGet(time.toNanos());
    }

    private static HttpResponse<String> get(String client, String path) {
        return server.get(path, "X-Forwarded-For", client);
    }

    private static int status(String client, String path) {
        return get(client, path).statusCode();
    }

    private static List<Integer> statuses(String client, String path, int times) {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            statuses.add(status(client, path));
        }
        return statuses;
    }

    private static String remaining(HttpResponse<String> answer) {
        return answer.headers().firstValue("X-RateLimit-Remaining").orElseThrow();
    }

    private static long retryAfter(HttpResponse<String> answer) {
        return answer.headers().firstValueAsLong("Retry-After").orElseThrow();
    }

    private static long keys(String name) {
        Zone zone = Objects.requireNonNull(
                server.bean(PolicyHolder.class).get().zones().get(name));
        return server.bean(RateLimiter.class).usage(zone).keys();
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {

        @Bean
        Ticker clock() {
            return NANOS::get;
        }

        @Bean
        Endpoints endpoints() {
            return new Endpoints();
        }
    }

    @RestController
    static class Endpoints {

        @GetMapping({
            "/burst",
            "/quiet",
            "/items/*",
            "/api",
            "/api/x",
            "/apiv2/x",
            "/api/search/q",
            "/api/searching",
            "/short-first",
            "/long-first",
            "/polled",
            "/general/search",
            "/told",
            "/x"
        })
        String any() {
            return "any";
        }

        @GetMapping("/codes/{code}")
        @RateLimited(rate = "3/m")
        String code() {
            return "code";
        }

        @GetMapping("/general/other")
        @RateLimited(rate = "5/m")
        String other() {
            return "other";
        }
    }
}
