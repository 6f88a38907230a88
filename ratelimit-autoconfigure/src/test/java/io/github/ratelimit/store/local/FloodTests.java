package io.github.ratelimit.store.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.key.IpAddress;
import io.github.ratelimit.key.RateLimitKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Zones in a JVM of their own, whose heap is small or is weighed. */
class FloodTests {

    private static final int ADDRESSES = 1_000_000;
    private static final int WEIGHED = 300_000;

    /** A million distinct addresses in 64 MB; then all leave by themselves, soon after their buckets are whole. */
    @Test
    void acquireWhenAMillionKeysComeThenTheBoundHoldsAndAllLeaveWithoutTraffic() throws Exception {
        assertThat(run("-Xmx64m", Flood.class)).containsExactly("at most 10000", "left in time");
    }

    @ParameterizedTest
    @EnumSource
    void bytesPerKeyWhenWeighedThenAreWhatIsSaid(Kind kind) throws Exception {
        for (boolean text : new boolean[] {false, true}) {
            List<String> said = run("-Xmx512m", Weight.class, kind.name(), Boolean.toString(text));
            long stated = Footprint.bytesPerKey(kind.limit("5/d", 5), text);
            assertThat(Long.parseLong(said.get(0)))
                    .as("%s, text %s", kind, text)
                    .isBetween(stated * 8 / 10, stated);
        }
    }

    private static List<String> run(String heap, Class<?> main, String... arguments)
            throws IOException, InterruptedException {
        Process process = new ProcessBuilder(Stream.concat(
                                Stream.of(
                                        Path.of(System.getProperty("java.home"), "bin", "java")
                                                .toString(),
                                        heap,
                                        "-XX:+UseSerialGC",
                                        "-cp",
                                        System.getProperty("java.class.path"),
                                        main.getName()),
                                Stream.of(arguments))
                        .toList())
                .redirectErrorStream(true)
                .start();
        List<String> lines = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        assertThat(process.waitFor()).as("%s", lines).isZero();
        return lines;
    }

    private static RateLimitKey address(int number) {
        return RateLimitKey.ofAddress(IpAddress.of(0, 0xffff_0000_0000L | (number * 0x9E3779B9 & 0xffff_ffffL)));
    }

    /** Floods a zone. */
    static final class Flood {

        public static void main(String[] arguments) {
            Algorithm limit = Kind.TOKEN_BUCKET.limit("5/2s", 5);
            try (LocalStore store = new LocalStore(Ticker.system())) {
                LocalZone zone = store.zone("flooded", 10_000, true);
                long most = 0;
                for (int i = 0; i < ADDRESSES; i++) {
                    zone.acquire(address(i), limit, 1);
                    most = Math.max(most, zone.usage().keys());
                }
                System.out.println("at most " + most);
                long end = System.nanoTime() + limit.fillNanos() + 5_000_000_000L;
                while (zone.usage().keys() > 0 && System.nanoTime() - end < 0) {
                    LockSupport.parkNanos(10_000_000);
                }
                System.out.println(zone.usage().keys() == 0 ? "left in time" : "still there");
            }
        }
    }

    /** Weighs a zone. */
    static final class Weight {

        public static void main(String[] arguments) {
            Algorithm limit = Kind.valueOf(arguments[0]).limit("5/d", 5);
            boolean text = Boolean.parseBoolean(arguments[1]);
            LocalZone zone = new LocalZone(WEIGHED, true, Ticker.system());
            zone.acquire(key(-1, text), limit, 1);
            long before = used();
            for (int i = 0; i < WEIGHED - 1; i++) {
                zone.acquire(key(i, text), limit, 1);
            }
            System.out.println((used() - before) / WEIGHED);
            zone.acquire(key(-1, text), limit, 1);
        }

        private static RateLimitKey key(int number, boolean text) {
            String digits = Integer.toString(1_000_000_000 + number);
            return text ? RateLimitKey.ofText("x".repeat(64 - digits.length()) + digits) : address(number);
        }

        private static long used() {
            long used = Long.MAX_VALUE;
            for (int i = 0; i < 4; i++) {
                System.gc();
                Runtime runtime = Runtime.getRuntime();
                used = Math.min(used, runtime.totalMemory() - runtime.freeMemory());
            }
            return used;
        }
    }
}
