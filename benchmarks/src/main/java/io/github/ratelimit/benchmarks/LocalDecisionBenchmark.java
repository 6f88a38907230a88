package io.github.ratelimit.benchmarks;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.algorithm.TokenBucket;
import io.github.ratelimit.key.IpAddress;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.store.local.LocalStore;
import io.github.ratelimit.store.local.LocalZone;
import io.github.ratelimit.store.local.Ticker;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A decision of a local zone, against the floor: one look-up in a map, one reading of the clock and one
 * compare-and-set. Run it with {@code -prof gc} to see what it allocates.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(value = 1, jvmArgsAppend = "-Xmx1g")
public class LocalDecisionBenchmark {

    private static final int KEYS = 1_000_000;

    /** So large that nothing is ever refused, or, of the other, that nothing is ever admitted again. */
    private final Algorithm ample = TokenBucket.of(Rate.parse("1000000/s"), 1_000_000_000_000L);

    private final Algorithm scarce = TokenBucket.of(Rate.parse("1/400d"), 1);
    private final Ticker ticker = Ticker.system();
    private final LocalStore store = new LocalStore(ticker);
    private final LocalZone zone = store.zone("benchmark", 2 * KEYS, true);
    private final ConcurrentMap<RateLimitKey, AtomicLong> floor = new ConcurrentHashMap<>();
    private final RateLimitKey[] keys = new RateLimitKey[KEYS];
    private final RateLimitKey hot = RateLimitKey.ofText("hot");
    private final RateLimitKey refused = RateLimitKey.ofText("refused");

    /** Lets all keys be known. */
    @Setup
    public void prepare() {
        for (int i = 0; i < KEYS; i++) {
            keys[i] = RateLimitKey.ofAddress(IpAddress.of(0, 0xffff_0000_0000L | i));
            zone.acquire(keys[i], ample, 1_000_000_000);
            floor.put(keys[i], new AtomicLong());
        }
        floor.put(hot, new AtomicLong());
        zone.acquire(refused, scarce, 1);
    }

    /** Stops the sweeper. */
    @TearDown
    public void close() {
        store.close();
    }

    /** One key that is always admitted. */
    @Benchmark
    public boolean hotKey() {
        return zone.acquire(hot, ample, 1).admitted();
    }

    /** One key that is always refused. */
    @Benchmark
    public long refusedKey() {
        return zone.acquire(refused, scarce, 1).retryNanos();
    }

    /** A million keys at random. */
    @Benchmark
    public boolean millionKeys() {
        return zone.acquire(keys[ThreadLocalRandom.current().nextInt(KEYS)], ample, 1)
                .admitted();
    }

    /** The floor of {@link #hotKey}. */
    @Benchmark
    public long hotKeyFloor() {
        return draw(hot);
    }

    /** The floor of {@link #millionKeys}. */
    @Benchmark
    public long millionKeysFloor() {
        return draw(keys[ThreadLocalRandom.current().nextInt(KEYS)]);
    }

    private long draw(RateLimitKey key) {
        AtomicLong state = floor.get(key);
        if (state == null) {
            throw new IllegalStateException("Every key was put there");
        }
        long now = ticker.read();
        long seen = state.get();
        state.compareAndSet(seen, Math.max(seen, now) + 1);
        return seen;
    }
}
