package io.github.ratelimit.benchmarks;

import io.github.ratelimit.key.RequestPath;
import io.github.ratelimit.policy.Rule;
import io.github.ratelimit.policy.RuleTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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

/** A look-up costs what the path is long, not what there are rules: 10 and 10,000 of the same depth. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class RuleLookupBenchmark {

    private static final int PATHS = 8;

    /** How many rules there are. */
    @Param({"10", "10000"})
    int rules;

    private final RequestPath[] hits = new RequestPath[PATHS];
    private final RequestPath[] misses = new RequestPath[PATHS];
    private RuleTable table = new RuleTable(List.of(), true);
    private int next;

    /** Spreads the rules over two levels, and the paths over the rules. */
    @Setup
    public void prepare() {
        List<Rule> list = new ArrayList<>(rules);
        for (int i = 0; i < rules; i++) {
            list.add(new Rule(path(i), Set.of(), List.of(), 1, false, false, "benchmark"));
        }
        table = new RuleTable(list, true);
        for (int i = 0; i < PATHS; i++) {
            int rule = i * (rules / PATHS);
            hits[i] = new RequestPath(path(rule) + "/items/42");
            misses[i] = new RequestPath("/api/service-%04d/nothing/items/42".formatted(rule % 100));
        }
    }

    /** A path below one of the rules. */
    @Benchmark
    public @Nullable Rule hit() {
        return table.find(hits[next++ & PATHS - 1], "GET");
    }

    /** A path that leaves the tree one segment before a rule. */
    @Benchmark
    public @Nullable Rule miss() {
        return table.find(misses[next++ & PATHS - 1], "GET");
    }

    private static String path(int rule) {
        return "/api/service-%04d/resource-%04d".formatted(rule % 100, rule);
    }
}
