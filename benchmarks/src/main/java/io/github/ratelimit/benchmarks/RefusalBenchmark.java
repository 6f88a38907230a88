package io.github.ratelimit.benchmarks;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Concurrency;
import io.github.ratelimit.algorithm.FixedWindow;
import io.github.ratelimit.algorithm.LeakyBucket;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.algorithm.SlidingWindow;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.algorithm.TokenBucket;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.store.local.LocalStore;
import io.github.ratelimit.store.local.LocalZone;
import io.github.ratelimit.store.local.Ticker;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Admissions and refusals of every algorithm on one key: a refusal writes nothing and costs no more. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class RefusalBenchmark {

    /** What limits. */
    @Param({"token-bucket", "leaky-bucket", "fixed-window", "sliding-window", "concurrency"})
    String algorithm = "token-bucket";

    private final LocalStore store = new LocalStore(Ticker.system());
    private final LocalZone zone = store.zone("benchmark", 10, true);
    private final RateLimitKey rich = RateLimitKey.ofText("rich");
    private final RateLimitKey poor = RateLimitKey.ofText("poor");
    private final Step answer = new Step();
    private Algorithm ample = new Concurrency(1);
    private Algorithm scarce = new Concurrency(1);

    /** Spends the poor key's only permit. */
    @Setup
    public void prepare() {
        Rate plenty = Rate.parse("80000000000/d");
        Rate little = Rate.parse("1/300d");
        ample = limit(plenty, 80_000_000_000L);
        scarce = limit(little, 1);
        zone.acquire(poor, scarce, 1);
    }

    private Algorithm limit(Rate rate, long permits) {
        return switch (algorithm) {
            case "token-bucket" -> TokenBucket.of(rate, permits);
            case "leaky-bucket" -> LeakyBucket.of(rate, permits - 1, LeakyBucket.NO_DELAY);
            case "fixed-window" -> FixedWindow.of(rate);
            case "sliding-window" -> SlidingWindow.of(rate);
            default -> new Concurrency(permits == 1 ? 1 : Long.MAX_VALUE);
        };
    }

    /** Stops the sweeper. */
    @TearDown
    public void close() {
        store.close();
    }

    /** A key that is always admitted. */
    @Benchmark
    public boolean admitted() {
        return zone.acquire(rich, ample, 1, answer).admitted();
    }

    /** A key that is always refused. */
    @Benchmark
    public long refused() {
        return zone.acquire(poor, scarce, 1, answer).retryNanos();
    }
}
