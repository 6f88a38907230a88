package io.github.ratelimit.benchmarks;

import java.util.Locale;

/** Prints what a limiter takes of the heap for each of a million IPv4 keys, the keys themselves included. */
public final class MemoryPerKey {

    private static final int KEYS = 1_000_000;

    private MemoryPerKey() {}

    /**
     * Runs in a JVM of its own.
     *
     * @param args the limiter's name
     */
    public static void main(String[] args) {
        Peer peer = Peer.of(Peer.Name.valueOf(args[0].toUpperCase(Locale.ROOT)));
        peer.meet(peer.key(0));
        long before = used();
        for (int i = 1; i <= KEYS; i++) {
            // the addresses are spread, as those of a flood are
            peer.meet(peer.key(i * 0x9E3779B9));
        }
        long bytes = used() - before;
        System.out.println(args[0] + " " + bytes / KEYS);
        peer.meet(peer.key(0));
    }

    private static long used() {
        long used = Long.MAX_VALUE;
        for (int i = 0; i < 6; i++) {
            System.gc();
            Runtime runtime = Runtime.getRuntime();
            used = Math.min(used, runtime.totalMemory() - runtime.freeMemory());
        }
        return used;
    }
}
