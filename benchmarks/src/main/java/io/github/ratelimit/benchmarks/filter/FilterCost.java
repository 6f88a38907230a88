package io.github.ratelimit.benchmarks.filter;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Prints what a request costs a whole server, in microseconds of its processor time and in requests per second, with
 * each limiter and without: medians of rounds that take turns, driven by {@code wrk} on the same machine.
 */
public final class FilterCost {

    private static final List<String> PROFILES =
            List.of("none", "ratelimit", "ratelimit-refusing", "bucket4j", "bucket4j-refusing");

    private FilterCost() {}

    private record Round(double micros, double perSecond) {}

    /**
     * Measures.
     *
     * @param args the number of rounds, and the seconds of each
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        int rounds = Integer.parseInt(args[0]);
        int seconds = Integer.parseInt(args[1]);
        Map<String, Server> servers = new LinkedHashMap<>();
        Map<String, List<Round>> results = new LinkedHashMap<>();
        try {
            for (String profile : PROFILES) {
                servers.put(profile, Server.start(profile));
            }
            for (Server server : servers.values()) {
                server.measure(2 * seconds);
            }
            for (int i = 0; i < rounds; i++) {
                for (Map.Entry<String, Server> entry : servers.entrySet()) {
                    results.computeIfAbsent(entry.getKey(), profile -> new ArrayList<>())
                            .add(entry.getValue().measure(seconds));
                }
            }
        } finally {
            servers.values().forEach(server -> server.process.destroy());
        }
        results.forEach((profile, list) -> System.out.printf(
                "%s %.1f %.0f%n",
                profile,
                median(list.stream().mapToDouble(Round::micros).sorted().toArray()),
                median(list.stream().mapToDouble(Round::perSecond).sorted().toArray())));
    }

    private static double median(double[] sorted) {
        return sorted[sorted.length / 2];
    }

    private record Server(Process process, int port) {

        static Server start(String profile) throws IOException {
            int port;
            try (ServerSocket socket = new ServerSocket()) {
                socket.bind(new InetSocketAddress("127.0.0.1", 0));
                port = socket.getLocalPort();
            }
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xms256m",
                            "-Xmx256m",
                            "-XX:+UseSerialGC",
                            "-cp",
                            System.getProperty("java.class.path"),
                            FilterApplication.class.getName(),
                            "--spring.profiles.active=" + profile,
                            "--server.address=127.0.0.1",
                            "--server.port=" + port)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                    .start();
            Server server = new Server(process, port);
            server.awaitReady();
            return server;
        }

        private void awaitReady() {
            HttpClient client = HttpClient.newHttpClient();
            HttpRequest request = HttpRequest.newBuilder(URI.create(url()))
                    .timeout(Duration.ofSeconds(5))
                    .build();
            for (int i = 0; i < 600 && process.isAlive(); i++) {
                try {
                    client.send(request, BodyHandlers.discarding());
                    return;
                } catch (IOException e) {
                    LockSupport.parkNanos(100_000_000);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException(e);
                }
            }
            throw new IllegalStateException("The server did not start: " + this);
        }

        private String url() {
            return "http://127.0.0.1:" + port + "/hello";
        }

        Round measure(int seconds) throws IOException, InterruptedException {
            Duration before = cpu();
            Process wrk = new ProcessBuilder("wrk", "-t1", "-c16", "-d" + seconds + "s", url())
                    .redirectErrorStream(true)
                    .start();
            String said = new String(wrk.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (wrk.waitFor() != 0) {
                throw new UncheckedIOException(new IOException("wrk failed: " + said));
            }
            double nanos = cpu().minus(before).toNanos();
            double requests = number(said, " requests in");
            return new Round(nanos / 1_000 / requests, requests / seconds);
        }

        private Duration cpu() {
            return process.info().totalCpuDuration().orElseThrow();
        }

        private static double number(String text, String before) {
            String head = text.substring(0, text.indexOf(before)).strip();
            return Double.parseDouble(head.substring(head.lastIndexOf(' ') + 1).strip());
        }
    }
}
