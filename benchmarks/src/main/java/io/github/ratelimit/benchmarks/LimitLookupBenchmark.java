package io.github.ratelimit.benchmarks;

import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.algorithm.TokenBucket;
import io.github.ratelimit.key.CidrBlock;
import io.github.ratelimit.key.IpAddress;
import io.github.ratelimit.key.KeyPattern;
import io.github.ratelimit.key.KeyTable;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.policy.Allowance;
import io.github.ratelimit.policy.KeyedAllowances;
import io.github.ratelimit.policy.Limits;
import io.github.ratelimit.policy.Schedule;
import java.time.InstantSource;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What it costs to find the limit of a key: in a zone with one limit, with 10,000 addresses and 10,000 blocks that have
 * their own, and with a schedule. Run it with {@code -prof gc} to see that nothing is allocated.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class LimitLookupBenchmark {

    private static final int PATTERNS = 10_000;

    private final Allowance other = allowance("5/s");
    private final Limits plain = Limits.of(allowance("10/s").algorithm());
    private final Limits overridden = limits(table()::find, null);
    private final Limits scheduled = limits(KeyedAllowances.NONE, schedule());
    private final RateLimitKey listed = client(77);
    private final RateLimitKey inBlock = client(PATTERNS << 8 | 5);
    private final RateLimitKey stranger = RateLimitKey.ofAddress(IpAddress.of(0x2001_0db8L << 32, 0));

    /** One limit for all. */
    @Benchmark
    public Allowance plain() {
        return plain.of(listed);
    }

    /** An address that has a limit of its own. */
    @Benchmark
    public Allowance listedAddress() {
        return overridden.of(listed);
    }

    /** An address in a block that has one. */
    @Benchmark
    public Allowance addressInBlock() {
        return overridden.of(inBlock);
    }

    /** An address that has none. */
    @Benchmark
    public Allowance stranger() {
        return overridden.of(stranger);
    }

    /** At a time that has another limit. */
    @Benchmark
    public Allowance scheduled() {
        return scheduled.of(listed);
    }

    private KeyTable<Allowance> table() {
        KeyTable<Allowance> table = new KeyTable<>();
        for (int i = 0; i < PATTERNS; i++) {
            table.put(new KeyPattern(client(i), null), other);
            table.put(new KeyPattern(null, new CidrBlock(address((PATTERNS + i) << 8), 120)), other);
        }
        return table;
    }

    private Schedule schedule() {
        ZoneId zone = ZoneId.of("Europe/Berlin");
        return new Schedule(
                List.of(
                        new Schedule.Window(LocalTime.of(0, 0), LocalTime.of(12, 0), zone, other),
                        new Schedule.Window(LocalTime.of(12, 0), LocalTime.of(0, 0), zone, other)),
                InstantSource.system());
    }

    private Limits limits(KeyedAllowances overrides, @Nullable Schedule schedule) {
        return new Limits(allowance("10/s"), overrides, KeyedAllowances.NONE, schedule, List.of());
    }

    private static Allowance allowance(String rate) {
        return Allowance.limited(TokenBucket.of(Rate.parse(rate), 10));
    }

    private static RateLimitKey client(int number) {
        return RateLimitKey.ofAddress(address(number));
    }

    private static IpAddress address(int number) {
        return IpAddress.of(0, 0xffff_0000_0000L | 0x0a00_0000L | number);
    }
}
