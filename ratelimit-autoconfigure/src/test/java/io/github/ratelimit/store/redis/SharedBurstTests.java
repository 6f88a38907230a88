package io.github.ratelimit.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.fixture.RedisServer;
import io.github.ratelimit.fixture.WebServer;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.coyote.http2.Http2Protocol;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;

/** RL-11: a burst against a key that nobody has seen, over HTTP/2, at two instances that share one Redis. */
class SharedBurstTests {

    private static final int ROUNDS = 20;
    private static final int THREADS = 64;
    private static final int REQUESTS = 200;
    private static final int LIMIT = 10;

    /** A store that is late refuses, and so can never look like one that counts. */
    private static final String YAML = """
            server.http2.enabled: true
            ratelimit.redis.timeout: 10s
            """;

    private static final String ZONE =
            "key: 'header:X-K', rate: " + LIMIT + "/d, burst: " + LIMIT + ", store: redis, on-store-failure: reject";

    private final RedisServer redis = RedisServer.start();
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

    @AfterEach
    void stop() {
        threads.shutdownNow();
        redis.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"tomcat", "jetty"})
    void burstWhenSplitOverInstancesThenExactlyTheLimitIsAdmitted(String server) throws Exception {
        String yaml = WebServer.on(server) + YAML;
        try (WebServer one = Shop.start(redis.port(), ZONE, List.of(Connections.class), yaml);
                WebServer two = Shop.start(redis.port(), ZONE, List.of(Connections.class), yaml)) {
            List<Instance> instances = List.of(new Instance(one), new Instance(two));
            for (int round = 0; round < ROUNDS; round++) {
                List<HttpResponse<String>> answers = burst(instances, server + round);

                assertThat(answers)
                        .as("admitted in round %d", round)
                        .filteredOn(answer -> answer.statusCode() == 200)
                        .hasSize(LIMIT);
                assertThat(answers)
                        .as("refused in round %d", round)
                        .filteredOn(answer -> answer.statusCode() == 429)
                        .hasSize(REQUESTS - LIMIT);
                assertThat(answers).extracting(HttpResponse::version).containsOnly(Version.HTTP_2);
                assertThat(answers.stream().map(Connections::of).distinct())
                        .as("connections in round %d", round)
                        .hasSize(instances.size());
            }
        }
    }

    /** Lets go of all requests at once; they go to the instances by turns. */
    private List<HttpResponse<String>> burst(List<Instance> instances, String key) throws Exception {
        CyclicBarrier start = new CyclicBarrier(THREADS);
        List<Future<List<CompletableFuture<HttpResponse<String>>>>> sending = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            int first = thread;
            sending.add(threads.submit(() -> {
                start.await();
                List<CompletableFuture<HttpResponse<String>>> sent = new ArrayList<>();
                for (int i = first; i < REQUESTS; i += THREADS) {
                    // neighbours, not requests of one thread, go to different instances
                    sent.add(instances.get((i + i / THREADS) % instances.size()).send("/api", key));
                }
                return sent;
            }));
        }
        List<HttpResponse<String>> answers = new ArrayList<>();
        for (Future<List<CompletableFuture<HttpResponse<String>>>> sent : sending) {
            sent.get().forEach(answer -> answers.add(answer.join()));
        }
        return answers;
    }

    /** An instance, and a client that has one connection to it. */
    private static final class Instance {

        private final HttpClient client =
                HttpClient.newBuilder().version(Version.HTTP_2).build();
        private final int port;

        Instance(WebServer server) {
            this.port = server.port();
            send("/free", "nobody").join();
        }

        CompletableFuture<HttpResponse<String>> send(String path, String key) {
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                    .timeout(Duration.ofSeconds(30))
                    .header("X-K", key)
                    .build();
            return client.sendAsync(request, BodyHandlers.ofString());
        }
    }

    /** Says which connection a request has come by, and lets a connection have streams enough. */
    @Configuration(proxyBeanMethods = false)
    static class Connections {

        private static final String HEADER = "X-Connection";

        /** The connection of an answer, as no other instance has it. */
        static String of(HttpResponse<?> answer) {
            return answer.uri().getPort() + " "
                    + answer.headers().firstValue(HEADER).orElse("none");
        }

        @Bean
        FilterRegistrationBean<?> connection() {
            FilterRegistrationBean<?> registration = new FilterRegistrationBean<>((request, response, chain) -> {
                ((HttpServletResponse) response)
                        .setHeader(HEADER, request.getServletConnection().getConnectionId());
                chain.doFilter(request, response);
            });
            registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
            return registration;
        }

        @Bean
        WebServerFactoryCustomizer<TomcatServletWebServerFactory> streams() {
            return factory -> factory.addConnectorCustomizers(connector -> {
                for (var protocol : connector.findUpgradeProtocols()) {
                    ((Http2Protocol) protocol).setMaxConcurrentStreams(REQUESTS);
                }
            });
        }
    }
}
