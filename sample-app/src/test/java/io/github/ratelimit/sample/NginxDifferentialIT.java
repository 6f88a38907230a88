package io.github.ratelimit.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.ratelimit.Decision;
import io.github.ratelimit.RateLimitContext;
import io.github.ratelimit.RejectionHandler;
import io.github.ratelimit.sample.Bucket.Outcome;
import io.github.ratelimit.sample.Duel.Answers;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * The shop's leaky buckets decide and delay as those of a real nginx that is asked the same at the same instants.
 *
 * <p>Skipped where nginx is not installed; a failure there if the environment has {@code NGINX_REQUIRED=true}.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
class NginxDifferentialIT {

    private static final int TIMELINES = 3;

    private static final List<Bucket> BUCKETS = List.of(
            new Bucket("rate", 250, 0, 0),
            new Bucket("rate-fast", 100, 0, 0),
            new Bucket("burst", 250, 2, 0),
            new Bucket("burst-fast", 100, 6, 0),
            new Bucket("delay", 200, 5, 2),
            new Bucket("delay-fast", 100, 8, 3),
            new Bucket("nodelay", 250, 3, Bucket.NEVER),
            new Bucket("nodelay-fast", 200, 5, Bucket.NEVER));

    @LocalServerPort
    private int port;

    private final AtomicInteger keys = new AtomicInteger();
    private final ScheduledExecutorService clock = Executors.newScheduledThreadPool(4);

    @DynamicPropertySource
    static void limits(DynamicPropertyRegistry registry) {
        for (int i = 0; i < BUCKETS.size(); i++) {
            Bucket bucket = BUCKETS.get(i);
            String rule = "ratelimit.rules[" + i + "].";
            registry.add(rule + "path", bucket::path);
            registry.add(rule + "zones", bucket::name);
            String zone = "ratelimit.zones." + bucket.name() + ".";
            bucket.properties().forEach((name, value) -> registry.add(zone + name, () -> value));
        }
    }

    @AfterEach
    void stop() {
        clock.shutdownNow();
    }

    @Test
    void leakyBucketWhenNginxIsAskedTheSameThenSameDecisionsAndDelays(@TempDir Path directory) throws Exception {
        Path binary = nginx();
        Comparison comparison = new Comparison();
        List<Timeline> timelines = timelines();
        int wanted = timelines.stream()
                        .mapToInt(timeline -> timeline.instants().length)
                        .sum()
                / 2;
        Map<Timeline, List<String>> differences = new LinkedHashMap<>();
        try (Nginx nginx = Nginx.start(binary, directory, BUCKETS);
                Duel duel = new Duel(nginx.port(), port)) {
            warmUp(duel);
            // on a busy machine few requests can be judged: more are sent, until they tell as much
            for (int round = 0; round < 6 && comparison.judged() < wanted; round++) {
                differences.putAll(lastingDifferences(timelines, duel, comparison));
            }
        }

        assertThat(differences).isEmpty();
        assertThat(comparison.judged()).isGreaterThanOrEqualTo(wanted);
        assertThat(Outcome.values())
                .allSatisfy(outcome -> assertThat(comparison.judged(outcome)).isGreaterThan(50));
    }

    /** A busy machine makes a difference once; one between the servers shows each time. */
    private Map<Timeline, List<String>> lastingDifferences(
            Collection<Timeline> timelines, Duel duel, Comparison comparison) {
        Map<Timeline, List<String>> differences = compare(timelines, duel, comparison);
        for (int again = 0; again < 2 && !differences.isEmpty(); again++) {
            differences = compare(differences.keySet(), duel, comparison);
        }
        return differences;
    }

    /** Sends all timelines at once; those in which the servers differ, and where. */
    private Map<Timeline, List<String>> compare(Collection<Timeline> timelines, Duel duel, Comparison comparison) {
        Map<Timeline, CompletableFuture<List<Answers>>> sent = new LinkedHashMap<>();
        timelines.forEach(timeline -> sent.put(timeline, send(timeline, duel)));
        Map<Timeline, List<String>> differences = new LinkedHashMap<>();
        sent.forEach((timeline, answers) ->
                differences.put(timeline, comparison.differences(timeline.bucket(), answers.join())));
        differences.values().removeIf(List::isEmpty);
        return differences;
    }

    /** The answers to a timeline, under a key that was never used. */
    private CompletableFuture<List<Answers>> send(Timeline timeline, Duel duel) {
        String target = timeline.bucket().path() + "?key=" + keys.incrementAndGet();
        List<CompletableFuture<Answers>> answers = LongStream.of(timeline.instants())
                .mapToObj(instant -> CompletableFuture.supplyAsync(
                                () -> duel.send(target), task -> clock.schedule(task, instant, TimeUnit.MILLISECONDS))
                        .thenCompose(Function.identity()))
                .toList();
        return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .thenApply(all -> answers.stream().map(CompletableFuture::join).toList());
    }

    private static List<Timeline> timelines() {
        return BUCKETS.stream()
                .flatMap(bucket -> IntStream.range(0, TIMELINES).mapToObj(seed -> new Timeline(bucket, seed)))
                .toList();
    }

    /** The requests of one key, the same in each run. */
    private record Timeline(Bucket bucket, int seed) {

        long[] instants() {
            Random random = new Random(seed);
            return bucket.timeline(random, random.nextInt(30, 61), 25);
        }
    }

    /** Lets the shop's code be compiled, delays and refusals included. */
    private void warmUp(Duel duel) {
        for (int round = 0; round < 20; round++) {
            List<CompletableFuture<Answers>> answers = new ArrayList<>();
            for (Bucket bucket : BUCKETS) {
                String target = bucket.path() + "?key=" + keys.incrementAndGet();
                for (int i = 0; i < 4; i++) {
                    answers.add(duel.send(target));
                }
            }
            answers.forEach(CompletableFuture::join);
        }
    }

    private static Path nginx() {
        Optional<Path> binary = Nginx.find();
        if ("true".equals(System.getenv("NGINX_REQUIRED"))) {
            assertThat(binary).as("nginx, which NGINX_REQUIRED asks for").isPresent();
        }
        assumeThat(binary)
                .as("nginx is not installed, so there is nothing to compare with")
                .isPresent();
        return binary.orElseThrow();
    }

    /** Makes the shop tell of each request what nginx is told to tell. */
    @TestConfiguration(proxyBeanMethods = false)
    static class Reporting {

        private static final String ARRIVED = "arrived";

        @Bean
        FilterRegistrationBean<Filter> arrivals() {
            FilterRegistrationBean<Filter> first = new FilterRegistrationBean<>((request, response, chain) -> {
                request.setAttribute(ARRIVED, System.currentTimeMillis());
                chain.doFilter(request, response);
            });
            first.setOrder(Ordered.HIGHEST_PRECEDENCE);
            return first;
        }

        @Bean
        RouterFunction<ServerResponse> page() {
            return RouterFunctions.route()
                    .GET(
                            Bucket.PATH + "**",
                            request -> (ServerResponse) ServerResponse.ok().build((http, response) -> {
                                report(http, response, outcome(http));
                                return null;
                            }))
                    .build();
        }

        @Bean
        RejectionHandler refusals() {
            return (request, response, decision) -> report(request, response, Outcome.REJECTED);
        }

        private static Outcome outcome(HttpServletRequest request) {
            RateLimitContext context = (RateLimitContext) request.getAttribute(RateLimitContext.ATTRIBUTE);
            return context.decisions().get(0).outcome() == Decision.Outcome.DELAYED ? Outcome.DELAYED : Outcome.PASSED;
        }

        private static void report(HttpServletRequest request, HttpServletResponse response, Outcome outcome) {
            long now = System.currentTimeMillis();
            response.setHeader("X-Outcome", outcome.name());
            response.setHeader("X-Sent", Long.toString(now));
            response.setHeader("X-Delay", Long.toString(now - (long) request.getAttribute(ARRIVED)));
        }
    }
}
