package io.github.ratelimit.store.local;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.key.RateLimitKey;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/**
 * Draws, looks, refunds, changes of the limit and sweeps, in all their interleavings, look as if they had
 * come one after another; a sweep is never seen. The clock stands still: only then can one number mean two states.
 *
 * <p>Every pair of operations meets on a key that is in use and on one that is untouched, and some longer mixtures.
 */
@Param(name = "cost", gen = IntGen.class, conf = "1:2")
@Param(name = "limit", gen = IntGen.class, conf = "0:5")
public class LocalZoneLincheckTests {

    private static final Step DRAWN = new Step(Step.Verdict.ADMITTED, 0, 0, 0, 0);

    /** Two for each kind of cell; both are limits of one key. */
    private static final Algorithm[] LIMITS = {
        Kind.TOKEN_BUCKET.limit("3/s", 3),
        Kind.LEAKY_BUCKET.limit("3/m", 3),
        Kind.SLIDING_WINDOW.limit("3/s", 3),
        Kind.FIXED_WINDOW.limit("3/m", 3),
        Kind.CONCURRENCY.limit("1/s", 3),
        Kind.CONCURRENCY.limit("1/s", 2)
    };

    private final LocalZone zone = new LocalZone(10, true, () -> 1_000);

    @Operation
    public String acquire(@Param(name = "limit") int limit, @Param(name = "cost") int cost) {
        return said(zone.acquire(key(limit), LIMITS[limit], cost));
    }

    @Operation
    public String peek(@Param(name = "limit") int limit) {
        return said(zone.peek(key(limit), LIMITS[limit], 0));
    }

    @Operation
    public void refund(@Param(name = "limit") int limit, @Param(name = "cost") int cost) {
        zone.refund(key(limit), LIMITS[limit], cost, DRAWN);
    }

    @Operation
    public void sweep() {
        zone.sweep();
    }

    @Test
    void zoneWhenThreadsInterleaveThenIsLinearizable() {
        ModelCheckingOptions options = new ModelCheckingOptions()
                .iterations(2)
                .invocationsPerIteration(60)
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(1)
                .addGuarantee(ManagedStrategyGuaranteeKt.forClasses(name -> name.startsWith("com.github.benmanes."))
                        .allMethods()
                        .treatAsAtomic());
        for (int limit = 0; limit < LIMITS.length; limit += 2) {
            meetings(limit).forEach(options::addCustomScenario);
        }
        options.check(LocalZoneLincheckTests.class);
    }

    private static List<ExecutionScenario> meetings(int limit) {
        Actor draw = actor("acquire", limit, 1);
        Actor sweep = actor("sweep");
        List<Actor> meeting = List.of(
                actor("acquire", limit, 2), actor("acquire", limit + 1, 2), actor("refund", limit + 1, 1), sweep);
        List<Actor> after = List.of(actor("peek", limit), draw);
        List<ExecutionScenario> scenarios = new ArrayList<>();
        for (int i = 0; i < meeting.size(); i++) {
            for (int j = i; j < meeting.size(); j++) {
                scenarios.add(scenario(List.of(draw), meeting.get(i), meeting.get(j), after));
            }
            scenarios.add(scenario(List.of(draw, actor("refund", limit, 1)), meeting.get(i), sweep, after));
        }
        return scenarios;
    }

    private static ExecutionScenario scenario(List<Actor> before, Actor one, Actor other, List<Actor> after) {
        return new ExecutionScenario(before, List.of(List.of(one), List.of(other)), after, null);
    }

    private static Actor actor(String name, Object... arguments) {
        Method operation = Arrays.stream(LocalZoneLincheckTests.class.getDeclaredMethods())
                .filter(method -> method.getName().equals(name))
                .findFirst()
                .orElseThrow();
        return new Actor(operation, List.of(arguments));
    }

    private static RateLimitKey key(int limit) {
        return LocalZoneTests.key(limit / 2);
    }

    private static String said(Step step) {
        return step.verdict() + " " + step.remaining();
    }
}
