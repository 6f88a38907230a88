package io.github.ratelimit.store.local;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.key.RateLimitKey;
import java.lang.reflect.Method;
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
 * Draws, looks, refunds, changes of the limit and sweeps on one key, in all their interleavings, look as if they had
 * come one after another; a sweep is never seen. The clock stands still: only then can one number mean two states.
 *
 * <p>Every pair of operations meets on a key that is in use and on one that is untouched, and some longer mixtures.
 */
@Param(name = "cost", gen = IntGen.class, conf = "1:2")
@Param(name = "limit", gen = IntGen.class, conf = "0:1")
public abstract class LocalZoneLincheckTests {

    private static final RateLimitKey KEY = RateLimitKey.ofText("key");
    private static final Step DRAWN = new Step(Step.Verdict.ADMITTED, 0, 0, 0, 0);
    private static final Actor DRAW = actor("acquire", 0, 1);
    private static final Actor GIVE_BACK = actor("refund", 0, 1);
    private static final Actor LOOK = actor("peek", 0);
    private static final List<Actor> MEETING =
            List.of(actor("acquire", 0, 2), actor("acquire", 1, 2), actor("refund", 1, 1), actor("sweep"));

    private final LocalZone zone = new LocalZone(10, true, () -> 1_000);
    private final Algorithm[] limits;

    LocalZoneLincheckTests(Algorithm... limits) {
        this.limits = limits;
    }

    @Operation
    public String acquire(@Param(name = "limit") int limit, @Param(name = "cost") int cost) {
        return said(zone.acquire(KEY, limits[limit], cost));
    }

    @Operation
    public String peek(@Param(name = "limit") int limit) {
        return said(zone.peek(KEY, limits[limit], 0));
    }

    @Operation
    public void refund(@Param(name = "limit") int limit, @Param(name = "cost") int cost) {
        zone.refund(KEY, limits[limit], cost, DRAWN);
    }

    @Operation
    public void sweep() {
        zone.sweep();
    }

    @Test
    void zoneWhenThreadsInterleaveThenIsLinearizable() {
        ModelCheckingOptions options = new ModelCheckingOptions()
                .iterations(2)
                .invocationsPerIteration(100)
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(1)
                .addGuarantee(ManagedStrategyGuaranteeKt.forClasses(name -> name.startsWith("com.github.benmanes."))
                        .allMethods()
                        .treatAsAtomic());
        for (int i = 0; i < MEETING.size(); i++) {
            for (int j = i; j < MEETING.size(); j++) {
                options.addCustomScenario(meeting(List.of(DRAW), MEETING.get(i), MEETING.get(j)));
            }
            options.addCustomScenario(meeting(List.of(DRAW, GIVE_BACK), MEETING.get(i), actor("sweep")));
        }
        options.check(getClass());
    }

    private static ExecutionScenario meeting(List<Actor> before, Actor one, Actor other) {
        return new ExecutionScenario(before, List.of(List.of(one), List.of(other)), List.of(LOOK, DRAW), null);
    }

    private static Actor actor(String name, Object... arguments) {
        Method operation = Arrays.stream(LocalZoneLincheckTests.class.getDeclaredMethods())
                .filter(method -> method.getName().equals(name))
                .findFirst()
                .orElseThrow();
        return new Actor(operation, List.of(arguments));
    }

    private static String said(Step step) {
        return step.verdict() + " " + step.remaining();
    }
}
