package io.github.ratelimit.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.fixture.RawHttp;
import io.github.ratelimit.fixture.RawHttp.Answer;
import io.github.ratelimit.fixture.WebServer;
import io.github.ratelimit.store.local.Ticker;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** A refusal costs little and tells little, whatever a client sends. The clock of the zones stands still. */
@ParameterizedClass(name = "{0}")
@ValueSource(strings = {"tomcat", "jetty"})
class AttackedRefusalsTests {

    private static final String YAML = """
            server.http2.enabled: true
            server.max-http-request-header-size: 64KB
            ratelimit:
              client-ip.trusted-proxies: ["127.0.0.1/32", "::1/128"]
              response: { headers: draft-11, expose-to: authenticated }
              zones:
                one: { key: "header:X-Key", rate: 1/h }
                ten: { key: "header:X-Key", rate: 10/h }
              rules:
                - { path: /upload, zones: [one] }
                - { path: /one, zones: [one] }
                - { path: /ten, zones: [ten] }
            """;

    private static WebServer server;
    private static final AtomicInteger KEYS = new AtomicInteger();

    private final String key = "secret-" + KEYS.incrementAndGet();

    AttackedRefusalsTests(String container) {
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
        Endpoints.READ.set(0);
    }

    @Test
    void uploadWhenRefusedThenIsAnsweredAtOnceAndNeverRead() throws Exception {
        server.get("/one", "X-Key", key);
        int length = 20 * 1024 * 1024;
        try (Socket socket = new Socket("localhost", server.port())) {
            socket.setSoTimeout(10_000);
            OutputStream out = socket.getOutputStream();
            out.write(("POST /upload HTTP/1.1\r\nHost: localhost\r\nX-Key: " + key + "\r\nContent-Length: " + length
                            + "\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
            CompletableFuture<Void> upload = CompletableFuture.runAsync(() -> pour(out, length));
            byte[] status = socket.getInputStream().readNBytes(12);
            assertThat(new String(status, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 429");
            upload.join();
        }
        assertThat(Endpoints.READ).hasValue(0);
    }

    private static void pour(OutputStream out, int length) {
        byte[] block = new byte[64 * 1024];
        try {
            for (int sent = 0; sent < length; sent += block.length) {
                out.write(block);
            }
        } catch (IOException e) {
            // the server has closed the connection: that is its right
        }
    }

    @Test
    void uploadWhenTheClientAsksFirstThenIsNeverSent() {
        server.get("/one", "X-Key", key);
        try (RawHttp client = new RawHttp(server.port())) {
            Answer refused =
                    client.send("POST", "/upload", "X-Key: " + key, "Expect: 100-continue", "Content-Length: 20971520");
            assertThat(refused.status()).isEqualTo(429);
        }
        assertThat(Endpoints.READ).hasValue(0);
    }

    @Test
    void connectionWhenRequestsAreRefusedThenStaysUsable() {
        try (RawHttp client = new RawHttp(server.port())) {
            client.send("GET", "/one", "X-Key: " + key);
            for (String method : List.of("GET", "HEAD", "POST", "DELETE")) {
                assertThat(client.send(method, "/one", "X-Key: " + key).status())
                        .isEqualTo(429);
                assertThat(client.isOpen()).isTrue();
                assertThat(client.sendBody("POST", "/one", "x".repeat(10_000), "X-Key: " + key)
                                .status())
                        .isEqualTo(429);
                assertThat(client.isOpen()).isTrue();
            }
            assertThat(client.send("GET", "/free").body()).isEqualTo("free");
        }
    }

    /** RL-11, over many streams of one connection. */
    @Test
    void http2WhenManyStreamsAtOnceThenExactlyTheLimitIsAdmitted() {
        HttpClient client = HttpClient.newBuilder().version(Version.HTTP_2).build();
        client.sendAsync(request("/free").build(), BodyHandlers.ofString()).join();
        List<HttpResponse<String>> answers = IntStream.range(0, 80)
                .mapToObj(i ->
                        client.sendAsync(request("/ten").header("X-Key", key).build(), BodyHandlers.ofString()))
                .toList()
                .stream()
                .map(CompletableFuture::join)
                .toList();

        assertThat(answers).extracting(HttpResponse::version).containsOnly(Version.HTTP_2);
        assertThat(answers).filteredOn(answer -> answer.statusCode() == 200).hasSize(10);
        assertThat(answers).filteredOn(answer -> answer.statusCode() == 429).hasSize(70);
    }

    @Test
    void http2WhenAStreamIsRefusedThenOthersGoOn() {
        HttpClient client = HttpClient.newBuilder().version(Version.HTTP_2).build();
        client.sendAsync(request("/one").header("X-Key", key).build(), BodyHandlers.ofString())
                .join();
        HttpRequest head = request("/one")
                .header("X-Key", key)
                .method("HEAD", BodyPublishers.noBody())
                .build();
        HttpResponse<String> refused =
                client.sendAsync(head, BodyHandlers.ofString()).join();
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.body()).isEmpty();
        assertThat(client.sendAsync(request("/free").build(), BodyHandlers.ofString())
                        .join()
                        .body())
                .isEqualTo("free");
    }

    @Test
    void acceptWhenItIsAnythingThenTheRefusalIsWritten() {
        server.get("/one", "X-Key", key);
        Random random = new Random(429);
        List<String> parts = List.of(
                "*/*",
                "text/html",
                "application/json",
                ";q=0",
                ";q=",
                ";q=1.5",
                ",",
                ";",
                "=",
                "\"",
                "/",
                " ",
                "*",
                "a/b",
                "\\",
                "application/*+json",
                ";charset=none",
                ";charset=\"",
                ";a=b",
                "\t",
                "é",
                "(",
                "q");
        try (RawHttp client = new RawHttp(server.port())) {
            for (int i = 0; i < 1_000; i++) {
                StringBuilder accept = new StringBuilder();
                for (int length = random.nextInt(8); length >= 0; length--) {
                    accept.append(parts.get(random.nextInt(parts.size())));
                }
                Answer refused = client.send("GET", "/one", "X-Key: " + key, "Accept: " + accept);
                assertThat(refused.status()).as(accept.toString()).isEqualTo(429);
                assertThat(refused.header("Content-Type"))
                        .as(accept.toString())
                        .matches("application/problem\\+json|text/plain;charset=(?i:UTF-8)");
            }
            assertThat(client.send("GET", "/one", "X-Key: " + key, "Accept: " + "a/b,".repeat(10_000))
                            .status())
                    .isEqualTo(429);
            assertThat(client.send("GET", "/one", "X-Key: " + key, "Accept: text/html", "Accept: application/json")
                            .header("Content-Type"))
                    .as("on two lines")
                    .isEqualTo("application/problem+json");
        }
    }

    @Test
    void refusalThenTellsNothingThatIsNotMeantForTheClient() {
        try (RawHttp client = new RawHttp(server.port())) {
            client.send("GET", "/one", "X-Key: " + key);
            Answer refused = client.send("GET", "/one?password=p", "X-Key: " + key);

            assertThat(refused.lines())
                    .noneMatch(line -> line.toLowerCase(Locale.ROOT).startsWith("ratelimit"));
            assertThat(refused.lines()).noneMatch(line -> line.startsWith("X-RateLimit"));
            assertThat(refused.body())
                    .doesNotContain(key)
                    .doesNotContain("password")
                    .doesNotContain("127.0.0.1")
                    .doesNotContain("header");
        }
    }

    @Test
    void bodyWhenThePathIsOddThenIsStillJson() {
        try (RawHttp client = new RawHttp(server.port())) {
            client.send("GET", "/one", "X-Key: " + key);
            for (String path :
                    List.of("/one/%22%7D", "/one/%0d%0aX:%20y", "/one/'\u003c", "/one/%00", "/one/%E2%80%A8")) {
                Answer refused = client.send("GET", path, "X-Key: " + key);
                assertThat(refused.status()).isIn(400, 429);
                if (refused.status() == 429) {
                    assertThat(refused.body()).contains("\"instance\":\"" + path + "\"");
                    assertThat(refused.headers("X")).isEmpty();
                }
            }
        }
    }

    private static HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://localhost:" + server.port() + path))
                .timeout(Duration.ofSeconds(20));
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

        /** Bytes of uploads. */
        static final AtomicInteger READ = new AtomicInteger();

        @GetMapping({"/one", "/ten"})
        String any() {
            return "any";
        }

        @GetMapping("/free")
        String free() {
            return "free";
        }

        @PostMapping("/upload")
        String upload(@RequestBody InputStream body) throws IOException {
            READ.addAndGet(body.readAllBytes().length + 1);
            return "uploaded";
        }
    }
}
