package io.github.ratelimit.sample;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A real nginx on a loopback port of its own, with everything it writes in one directory. */
final class Nginx implements AutoCloseable {

    /** Error log first: the path that is compiled in need not be writable. */
    private static final String CONFIGURATION = """
            daemon off;
            master_process off;
            error_log error.log crit;
            pid nginx.pid;
            events {}
            http {
                access_log off;
                client_body_temp_path body;
                proxy_temp_path proxy;
                fastcgi_temp_path fastcgi;
                uwsgi_temp_path uwsgi;
                scgi_temp_path scgi;
                limit_req_status 429;
                limit_req_log_level info;
            %s
                server {
                    listen 127.0.0.1:%d;
                    add_header X-Outcome $limit_req_status always;
                    add_header X-Sent $msec always;
                    add_header X-Delay $request_time always;
            %s
                }
            }
            """;

    private final Process process;
    private final int port;

    private Nginx(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Where nginx is installed; empty when it is not. */
    static Optional<Path> find() {
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Stream.concat(Stream.of(path.split(":", -1)), Stream.of("/usr/sbin", "/usr/local/sbin"))
                .filter(directory -> !directory.isEmpty())
                .map(directory -> Path.of(directory, "nginx"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Starts one that serves a small page under every path, limited as the buckets say. */
    static Nginx start(Path binary, Path directory, Collection<Bucket> buckets) throws IOException {
        int port = freePort();
        Files.writeString(directory.resolve("nginx.conf"), configuration(buckets, port));
        Files.writeString(Files.createDirectories(directory.resolve("html")).resolve("page"), "ok");
        List<String> command =
                List.of(binary.toString(), "-p", directory.toString(), "-c", "nginx.conf", "-e", "error.log");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("output").toFile())
                .start();
        Nginx nginx = new Nginx(process, port);
        try {
            await().atMost(Duration.ofSeconds(20)).until(nginx::isUp);
        } catch (RuntimeException e) {
            nginx.close();
            throw new IllegalStateException("nginx: " + Files.readString(directory.resolve("output")), e);
        }
        return nginx;
    }

    int port() {
        return port;
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit().completeOnTimeout(process, 10, TimeUnit.SECONDS).join().destroyForcibly();
    }

    private boolean isUp() {
        if (!process.isAlive()) {
            throw new IllegalStateException("It ended with code " + process.exitValue());
        }
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    private static String configuration(Collection<Bucket> buckets, int port) {
        return CONFIGURATION.formatted(
                lines(buckets.stream().map(Bucket::nginxZone)),
                port,
                lines(buckets.stream()
                        .map(bucket -> "location = %s { %s try_files /page =404; }"
                                .formatted(bucket.path(), bucket.nginxLimit()))));
    }

    private static String lines(Stream<String> lines) {
        return lines.collect(Collectors.joining("\n"));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
