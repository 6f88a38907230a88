package io.github.ratelimit.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Prints how long the endpoint takes to answer when 200,000 keys are held, that it changes nothing, and what the 99th
 * percentile of the traffic is while nobody asks it and while somebody does ten times a second. The server is the
 * sample shop, in a JVM of its own on the same machine; the traffic is open: 500 requests a second, each timed from
 * when it was due.
 */
public final class EndpointCost {

    private static final int KEYS = 200_000;
    private static final int SENDERS = 8;
    private static final int PER_SECOND = 500;
    private static final int SECONDS = 8;
    private static final int ROUNDS = 7;
    private static final int QUIET_QUESTIONS = 500;
    private static final long PAUSE_NANOS = 100_000_000;
    private static final String ZONE = "visitors";
    private static final List<String> QUESTIONS = List.of(
            "/actuator/ratelimit",
            "/actuator/ratelimit/" + ZONE,
            "/actuator/ratelimit/" + ZONE + "/" + address(1),
            "/actuator/health",
            "/actuator/prometheus");

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();
    private final ExecutorService senders = Executors.newFixedThreadPool(SENDERS);
    private final int port;

    private EndpointCost(int port) {
        this.port = port;
    }

    /**
     * Measures.
     *
     * @param args the jar of the sample shop
     */
    public static void main(String[] args) throws IOException {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        Process server = start(Path.of(args[0]), port);
        EndpointCost cost = new EndpointCost(port);
        try {
            cost.awaitReady(server);
            cost.measure();
        } finally {
            cost.senders.shutdownNow();
            server.destroy();
        }
    }

    private static Process start(Path jar, int port) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xms512m",
                        "-Xmx512m",
                        "-jar",
                        jar.toString(),
                        "--server.address=127.0.0.1",
                        "--server.port=" + port,
                        "--ratelimit.zones." + ZONE + ".rate=100/d",
                        "--ratelimit.zones." + ZONE + ".max-keys=250000",
                        "--ratelimit.rules[0].path=/whoami",
                        "--ratelimit.rules[0].zones=" + ZONE)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private void awaitReady(Process server) {
        for (int i = 0; i < 600 && server.isAlive(); i++) {
            try {
                get("/actuator/health", address(0));
                return;
            } catch (UncheckedIOException e) {
                LockSupport.parkNanos(100_000_000);
            }
        }
        throw new IllegalStateException("The server did not start");
    }

    private void measure() {
        together(sender -> {
            for (int key = sender; key < KEYS; key += SENDERS) {
                visit(key);
            }
            return new long[0];
        });
        System.out.println("live-keys " + zone().path("keys").asLong());
        for (String question : QUESTIONS) {
            System.out.printf(Locale.ROOT, "first-ms %s %.1f%n", question, ask(question) / 1e6);
        }
        changeNothing();
        compareTraffic();
    }

    private void changeNothing() {
        JsonNode before = zone();
        int left = left();
        for (int i = 0; i < QUIET_QUESTIONS; i++) {
            ask(QUESTIONS.get(i % QUESTIONS.size()));
        }
        JsonNode after = zone();
        for (String each : List.of("keys", "decisions", "rejections")) {
            if (!before.path(each).equals(after.path(each))) {
                throw new IllegalStateException(before + " has become " + after);
            }
        }
        if (left != left()) {
            throw new IllegalStateException("A key has " + left() + " permits left instead of " + left);
        }
        System.out.println("changed-by-" + QUIET_QUESTIONS + "-questions nothing");
    }

    private void compareTraffic() {
        Map<String, List<Long>> asked = new LinkedHashMap<>();
        QUESTIONS.forEach(question -> asked.put(question, new ArrayList<>()));
        List<Long> quiet = new ArrayList<>();
        List<Long> beside = new ArrayList<>();
        // the first round warms up; which half comes first takes turns
        for (int round = 0; round <= ROUNDS; round++) {
            for (int half = 0; half < 2; half++) {
                boolean asking = (round + half) % 2 == 0;
                long percentile = asking ? besideQuestions(asked) : percentile(traffic(), 99);
                if (round > 0) {
                    (asking ? beside : quiet).add(percentile);
                }
            }
        }
        asked.forEach((question, nanos) -> {
            long[] sorted = nanos.stream().mapToLong(each -> each).sorted().toArray();
            System.out.printf(
                    Locale.ROOT,
                    "asked-ms %s p50 %.1f p99 %.1f max %.1f of %d%n",
                    question,
                    percentile(sorted, 50) / 1e6,
                    percentile(sorted, 99) / 1e6,
                    percentile(sorted, 100) / 1e6,
                    sorted.length);
        });
        print("traffic-p99-ms-quiet", quiet);
        print("traffic-p99-ms-beside", beside);
    }

    /** The 99th percentile of the traffic while the questions are asked in turn. */
    private long besideQuestions(Map<String, List<Long>> asked) {
        CompletableFuture<long[]> traffic = CompletableFuture.supplyAsync(this::traffic);
        while (!traffic.isDone()) {
            asked.forEach((question, nanos) -> {
                nanos.add(ask(question));
                LockSupport.parkNanos(PAUSE_NANOS);
            });
        }
        return percentile(traffic.join(), 99);
    }

    /** What each request took from when it was due, sorted. */
    private long[] traffic() {
        long start = System.nanoTime();
        long interval = 1_000_000_000L * SENDERS / PER_SECOND;
        return together(sender -> {
            Random keys = new Random(sender);
            long[] nanos = new long[PER_SECOND * SECONDS / SENDERS];
            for (int i = 0; i < nanos.length; i++) {
                long due = start + i * interval + sender * interval / SENDERS;
                while (System.nanoTime() < due) {
                    LockSupport.parkNanos(due - System.nanoTime());
                }
                visit(keys.nextInt(KEYS));
                nanos[i] = System.nanoTime() - due;
            }
            return nanos;
        });
    }

    private long[] together(IntFunction<long[]> work) {
        List<CompletableFuture<long[]>> all = IntStream.range(0, SENDERS)
                .mapToObj(sender -> CompletableFuture.supplyAsync(() -> work.apply(sender), senders))
                .toList();
        return all.stream()
                .flatMapToLong(each -> Arrays.stream(each.join()))
                .sorted()
                .toArray();
    }

    private void visit(int key) {
        int status = get("/whoami", address(key)).statusCode();
        if (status != 200) {
            throw new IllegalStateException("A visit was answered with " + status);
        }
    }

    /** The nanoseconds until the whole answer was there. */
    private long ask(String question) {
        long start = System.nanoTime();
        HttpResponse<String> answer = get(question, address(0));
        long nanos = System.nanoTime() - start;
        if (answer.statusCode() != 200) {
            throw new IllegalStateException(question + " was answered with " + answer.statusCode());
        }
        return nanos;
    }

    private JsonNode zone() {
        return json("/actuator/ratelimit/" + ZONE);
    }

    /** What is left of the quota of the key that is asked about. */
    private int left() {
        return json("/actuator/ratelimit/" + ZONE + "/" + address(1))
                .path("remaining")
                .asInt();
    }

    private JsonNode json(String question) {
        return new JsonMapper().readTree(get(question, address(0)).body());
    }

    private HttpResponse<String> get(String path, String client) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .header("X-Forwarded-For", client)
                .timeout(Duration.ofSeconds(20))
                .build();
        try {
            return http.send(request, BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** One of the clients, whose addresses are spread as those of a flood are. */
    private static String address(int key) {
        int bits = key * 0x9E3779B9;
        return (bits >>> 24) + "." + (bits >>> 16 & 255) + "." + (bits >>> 8 & 255) + "." + (bits & 255);
    }

    private static long percentile(long[] sorted, int percent) {
        return sorted[(sorted.length - 1) * percent / 100];
    }

    private static void print(String name, List<Long> nanos) {
        long[] sorted = nanos.stream().mapToLong(each -> each).sorted().toArray();
        System.out.printf(
                Locale.ROOT,
                "%s %.2f (%.2f to %.2f in %d rounds)%n",
                name,
                percentile(sorted, 50) / 1e6,
                percentile(sorted, 0) / 1e6,
                percentile(sorted, 100) / 1e6,
                sorted.length);
    }
}
