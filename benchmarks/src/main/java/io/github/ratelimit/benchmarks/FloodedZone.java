package io.github.ratelimit.benchmarks;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.algorithm.TokenBucket;
import io.github.ratelimit.key.IpAddress;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.store.local.LocalStore;
import io.github.ratelimit.store.local.LocalZone;
import io.github.ratelimit.store.local.Ticker;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/**
 * Prints the 99th percentile of a decision (the median of rounds) in an idle zone, and in one that a million distinct addresses flood at a
 * bound of 10,000 keys; then how long a spent key takes to refill, and after how long the last key has left by itself.
 */
public final class FloodedZone {

    private static final int ADDRESSES = 1_000_000;
    private static final int WARM_UP = 2;
    private static final int ROUNDS = 15;

    private FloodedZone() {}

    /** Runs in a JVM of its own with a heap of 64 MB. */
    public static void main(String[] args) {
        Algorithm limit = TokenBucket.of(Rate.parse("5/2s"), 5);
        try (LocalStore store = new LocalStore(Ticker.system())) {
            LocalZone idle = store.zone("idle", 10_000, true);
            LocalZone flooded = store.zone("flooded", 10_000, true);
            long[] quiet = new long[ROUNDS];
            long[] flood = new long[ROUNDS];
            for (int round = -WARM_UP; round < ROUNDS; round++) {
                long calm = percentile(idle, limit, 5_000);
                long full = percentile(flooded, limit, ADDRESSES);
                if (round >= 0) {
                    quiet[round] = calm;
                    flood[round] = full;
                }
            }
            long keys = flooded.usage().keys();
            long end = System.nanoTime();
            while (flooded.usage().keys() > 0) {
                LockSupport.parkNanos(10_000_000);
            }
            long empty = System.nanoTime() - end;
            System.out.println("idle-p99-ns " + median(quiet));
            System.out.println("flooded-p99-ns " + median(flood));
            System.out.println("keys-at-most " + keys);
            System.out.println("refill-ms " + limit.fillNanos() / 1_000_000);
            System.out.println("last-key-left-after-ms " + empty / 1_000_000);
        }
    }

    private static long median(long[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }

    private static long percentile(LocalZone zone, Algorithm limit, int addresses) {
        long[] nanos = new long[ADDRESSES];
        Step answer = new Step();
        for (int i = 0; i < ADDRESSES; i++) {
            RateLimitKey key = RateLimitKey.ofAddress(
                    IpAddress.of(0, 0xffff_0000_0000L | (i % addresses * 0x9E3779B9 & 0xffff_ffffL)));
            long start = System.nanoTime();
            zone.acquire(key, limit, 1, answer);
            nanos[i] = System.nanoTime() - start;
        }
        Arrays.sort(nanos);
        return nanos[ADDRESSES / 100 * 99];
    }
}
