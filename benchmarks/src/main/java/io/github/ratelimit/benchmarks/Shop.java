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
import java.util.concurrent.locks.LockSupport;

/** The sample shop in a JVM of its own on this machine, with one large zone that is charged at {@code /whoami}. */
final class Shop implements AutoCloseable {

    static final String ZONE = "visitors";

    private final Process process;
    private final int port;

    private Shop(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Starts the shop, and returns when it answers. */
    static Shop start(Path jar) throws IOException {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xms512m",
                        "-Xmx512m",
                        "-jar",
                        jar.toString(),
                        "--server.address=127.0.0.1",
                        "--server.port=" + port,
                        "--management.endpoints.web.exposure.include=health,info,prometheus,ratelimit",
                        "--ratelimit.zones." + ZONE + ".rate=100/d",
                        // whoever runs more rounds runs out of nothing, and keys stay for as long
                        "--ratelimit.zones." + ZONE + ".burst=10000",
                        "--ratelimit.zones." + ZONE + ".max-keys=250000",
                        "--ratelimit.rules[0].path=/whoami",
                        "--ratelimit.rules[0].zones=" + ZONE)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        Shop shop = new Shop(process, port);
        try {
            shop.awaitReady();
        } catch (IllegalStateException e) {
            shop.close();
            throw e;
        }
        return shop;
    }

    private void awaitReady() {
        HttpClient client = client();
        for (int i = 0; i < 600 && process.isAlive(); i++) {
            try {
                get(client, "/actuator/health", "192.0.2.1");
                return;
            } catch (UncheckedIOException e) {
                LockSupport.parkNanos(100_000_000);
            }
        }
        throw new IllegalStateException("The server did not start");
    }

    /** A client with connections and a thread of its own, so that who asks by another one does not stand in its way. */
    static HttpClient client() {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Duration.ofSeconds(5))
                .build();
    }

    /** One of the clients, whose addresses are spread as those of a flood are. */
    static String address(int key) {
        int bits = key * 0x9E3779B9;
        return (bits >>> 24) + "." + (bits >>> 16 & 255) + "." + (bits >>> 8 & 255) + "." + (bits & 255);
    }

    /** What is answered, whatever its status, when it is there in full. */
    HttpResponse<String> get(HttpClient client, String path, String address) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .header("X-Forwarded-For", address)
                .timeout(Duration.ofSeconds(20))
                .build();
        try {
            return client.send(request, BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Processor time that the shop has taken so far, in steps of a hundredth of a second. */
    Duration cpu() {
        return process.info().totalCpuDuration().orElseThrow();
    }

    @Override
    public void close() {
        process.destroy();
    }
}
