package io.github.ratelimit.sample;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The running shop as a client sees it: real HTTP through the loopback interface, which the shop trusts as its proxy.
 * For many threads at once.
 */
final class Shop {

    private static final AtomicInteger CLIENTS = new AtomicInteger();
    private static final JsonMapper JSON = new JsonMapper();

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(10))
            .build();
    private final int port;

    Shop(int port) {
        this.port = port;
    }

    /** An address that no test has used before. */
    static String newClient() {
        int number = CLIENTS.incrementAndGet();
        return "198.18." + number / 256 + "." + number % 256;
    }

    HttpResponse<String> get(String client, String path) {
        return send(request(client, path).GET());
    }

    HttpResponse<String> get(String path) {
        return send(HttpRequest.newBuilder(uri(path)).GET());
    }

    /** A right log-in. */
    HttpResponse<String> login(String client) {
        return login(client, "{\"username\": \"demo\", \"password\": \"demo\"}");
    }

    HttpResponse<String> login(String client, String json) {
        return send(request(client, "/api/login")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(json)));
    }

    HttpResponse<String> buy(String client, String customer) {
        return send(request(client, "/seckill/7").header("X-Customer", customer).POST(BodyPublishers.noBody()));
    }

    /** A report that has begun; it comes to its end, or is broken off when the stream is closed. */
    HttpResponse<InputStream> report(String client, int year) {
        return send(request(client, "/reports/" + year).GET(), BodyHandlers.ofInputStream());
    }

    /** The answers to as many requests as there are times, sent at once. */
    static List<HttpResponse<String>> atOnce(int times, Supplier<HttpResponse<String>> request) {
        ExecutorService threads = Executors.newFixedThreadPool(times);
        try {
            return Stream.generate(() -> CompletableFuture.supplyAsync(request, threads)).limit(times).toList().stream()
                    .map(CompletableFuture::join)
                    .toList();
        } finally {
            threads.shutdownNow();
        }
    }

    HttpResponse<String> send(HttpRequest.Builder request) {
        return send(request, BodyHandlers.ofString());
    }

    private <T> HttpResponse<T> send(HttpRequest.Builder request, BodyHandler<T> body) {
        try {
            return http.send(request.timeout(Duration.ofSeconds(30)).build(), body);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(ex);
        }
    }

    HttpRequest.Builder request(String client, String path) {
        return HttpRequest.newBuilder(uri(path)).header("X-Forwarded-For", client);
    }

    /** The status of a request whose target goes out exactly as written, without a body. */
    int raw(String client, String method, String target) {
        String head = method + " " + target + " HTTP/1.1\r\nHost: localhost:" + port + "\r\nX-Forwarded-For: " + client
                + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        try (Socket socket = new Socket("localhost", port)) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream().write(head.getBytes(StandardCharsets.ISO_8859_1));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
            return Integer.parseInt(answer.substring("HTTP/1.1 ".length(), "HTTP/1.1 200".length()));
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** The endpoint's report on everything. */
    JsonNode report() {
        return json(get("/actuator/ratelimit"));
    }

    /** The endpoint's report on one key. */
    JsonNode report(String zone, String key) {
        return json(get("/actuator/ratelimit?zone=" + encoded(zone) + "&key=" + encoded(key)));
    }

    /** The decisions of a zone with that outcome, as Prometheus scrapes them; 0 before the first. */
    long scraped(String zone, String outcome) {
        return get("/actuator/prometheus")
                .body()
                .lines()
                .filter(line -> line.startsWith("ratelimit_decisions_total{")
                        && line.contains("zone=\"" + zone + "\"")
                        && line.contains("outcome=\"" + outcome + "\"")
                        && line.contains("tier=\"local\""))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    static long retryAfter(HttpResponse<String> refusal) {
        return refusal.headers().firstValueAsLong("Retry-After").orElseThrow();
    }

    static JsonNode json(HttpResponse<String> response) {
        return JSON.readTree(response.body());
    }

    URI uri(String path) {
        return URI.create("http://localhost:" + port + path);
    }

    private static String encoded(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8);
    }
}
