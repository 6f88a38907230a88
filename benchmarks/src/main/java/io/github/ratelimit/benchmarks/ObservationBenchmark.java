package io.github.ratelimit.benchmarks;

import io.github.ratelimit.Decision;
import io.github.ratelimit.Decision.Outcome;
import io.github.ratelimit.Decision.Reason;
import io.github.ratelimit.key.IpAddress;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.observe.Origin;
import io.github.ratelimit.observe.Refusal;
import io.github.ratelimit.observe.ZoneObserver;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What observing costs: on every decision ({@code few}, {@code many}), and on every refusal, the log turned off by its level.
 * {@code clock} is the floor of the first: one look at the wall clock. Run it with {@code -prof gc} to see what it allocates.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 1, jvmArgsAppend = "-Xmx1g")
public class ObservationBenchmark {

    private static final int FEW = 1_000;
    private static final int MANY = 1_000_000;

    private final InstantSource clock = InstantSource.system();
    private final ZoneObserver calm = new ZoneObserver("calm");
    private final ZoneObserver crowded = new ZoneObserver("crowded");
    private final RateLimitKey[] keys = new RateLimitKey[MANY];
    private final Decision decision = new Decision(
            Outcome.REJECTED,
            "calm",
            Reason.LIMIT,
            5,
            0,
            Duration.ofSeconds(50),
            Duration.ofSeconds(50),
            Duration.ofSeconds(10),
            Duration.ZERO);

    /** Lets all keys be known. */
    @Setup
    public void prepare() {
        for (int i = 0; i < MANY; i++) {
            keys[i] = RateLimitKey.ofAddress(IpAddress.of(0, 0xffff_0000_0000L | i));
            crowded.asked(keys[i], 1, clock);
        }
    }

    /** The wall clock. */
    @Benchmark
    public long clock() {
        return clock.millis();
    }

    /** A draw by one of a thousand keys, all of which are followed. */
    @Benchmark
    public void few() {
        calm.asked(keys[ThreadLocalRandom.current().nextInt(FEW)], 1, clock);
    }

    /** A draw by one of a million keys, a few thousand of which are followed. */
    @Benchmark
    public void many() {
        crowded.asked(keys[ThreadLocalRandom.current().nextInt(MANY)], 1, clock);
    }

    /** A refusal of one of a thousand keys. */
    @Benchmark
    public void refused() {
        RateLimitKey key = keys[ThreadLocalRandom.current().nextInt(FEW)];
        calm.refused(Refusal.of(Instant.EPOCH, decision, key, Origin.UNKNOWN));
    }
}
