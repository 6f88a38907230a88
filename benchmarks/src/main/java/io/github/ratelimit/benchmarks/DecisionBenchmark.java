package io.github.ratelimit.benchmarks;

import io.github.ratelimit.algorithm.Step;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
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
import org.openjdk.jmh.annotations.Warmup;

/** One decision on a known key, of this project and of its peers; keys are made beforehand. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 1,
        jvmArgsAppend = {"-Xms4g", "-Xmx4g", "-XX:+UseParallelGC"})
public class DecisionBenchmark {

    private static final int KEYS = 1_000_000;
    private static final int DRAWS = 1 << 22;

    /** Who decides. */
    @Param
    Peer.Name limiter = Peer.Name.RATELIMIT;

    /** Whose turn it is. */
    @Param
    Turn turn = Turn.HOT;

    private Peer peer = Peer.of(Peer.Name.MAP);
    private Object[] keys = {};
    private int[] draws = {};

    /** How draws spread over keys. */
    public enum Turn {
        /** All on one. */
        HOT,
        /** Evenly over a million. */
        UNIFORM,
        /** Over a million, the second half as often as the first, the third a third as often, and so on. */
        ZIPF
    }

    /** Where a thread is in the sequence of draws. */
    @State(Scope.Thread)
    public static class Cursor {
        final Step answer = new Step();
        int next = ThreadLocalRandom.current().nextInt(DRAWS);
    }

    /** Lets all keys be known. */
    @Setup
    public void prepare() {
        peer = Peer.of(limiter);
        Random random = new Random(1);
        keys = new Object[turn == Turn.HOT ? 1 : KEYS];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = peer.key(random.nextInt());
            peer.meet(keys[i]);
        }
        draws = turn == Turn.ZIPF
                ? zipf(random)
                : random.ints(DRAWS, 0, keys.length).toArray();
    }

    /** One draw. */
    @Benchmark
    public boolean draw(Cursor cursor) {
        return peer.draw(keys[draws[cursor.next++ & DRAWS - 1]], cursor.answer);
    }

    private static int[] zipf(Random random) {
        double[] sums = new double[KEYS];
        double sum = 0;
        for (int i = 0; i < KEYS; i++) {
            sum += 1.0 / (i + 1);
            sums[i] = sum;
        }
        double total = sum;
        return random.doubles(DRAWS)
                .mapToInt(at -> Arrays.binarySearch(sums, at * total))
                .map(found -> found < 0 ? Math.min(KEYS - 1, -found - 1) : found)
                .toArray();
    }
}
