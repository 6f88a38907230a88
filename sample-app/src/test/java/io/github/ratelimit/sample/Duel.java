package io.github.ratelimit.sample;

import io.github.ratelimit.sample.Bucket.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Asks nginx and the shop the same at the same instant. For many threads at once. */
final class Duel implements AutoCloseable {

    private final ExecutorService readers = Executors.newCachedThreadPool();
    private final int nginx;
    private final int shop;

    /** Between the servers on these ports. */
    Duel(int nginx, int shop) {
        this.nginx = nginx;
        this.shop = shop;
    }

    /**
     * What one server tells of a request, in milliseconds by the clock of the machine.
     *
     * @param arrived when it came
     * @param delay how long it took until it was answered
     */
    record Answer(Outcome outcome, long arrived, long delay) {

        private static Answer parse(String response) {
            long delay = millis(header(response, "X-Delay"));
            return new Answer(
                    Outcome.valueOf(header(response, "X-Outcome")), millis(header(response, "X-Sent")) - delay, delay);
        }

        private static String header(String response, String name) {
            int begin = response.indexOf("\r\n" + name + ": ");
            if (begin < 0) {
                throw new IllegalStateException("No " + name + " in " + response);
            }
            int value = begin + name.length() + 4;
            return response.substring(value, response.indexOf("\r\n", value));
        }

        /** Both write seconds with three decimals. */
        private static long millis(String seconds) {
            return Long.parseLong(seconds.replace(".", ""));
        }
    }

    /** What both servers tell of the same request. */
    record Answers(Answer nginx, Answer shop) {}

    /** Sends a request, at once and without waiting for the answers. */
    CompletableFuture<Answers> send(String target) {
        try {
            Socket toNginx = new Socket(InetAddress.getLoopbackAddress(), nginx);
            Socket toShop = new Socket(InetAddress.getLoopbackAddress(), shop);
            byte[] request = ("GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                    .getBytes(StandardCharsets.ISO_8859_1);
            toNginx.getOutputStream().write(request);
            toShop.getOutputStream().write(request);
            return receive(toNginx).thenCombine(receive(toShop), Answers::new);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        readers.shutdownNow();
    }

    private CompletableFuture<Answer> receive(Socket socket) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try (socket) {
                        byte[] response = socket.getInputStream().readAllBytes();
                        return Answer.parse(new String(response, StandardCharsets.ISO_8859_1));
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                readers);
    }
}
