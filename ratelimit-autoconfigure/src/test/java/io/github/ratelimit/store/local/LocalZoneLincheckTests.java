package io.github.ratelimit.store.local;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.key.RateLimitKey;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/**
 * Draws, looks, refunds, changes of the limit and sweeps on one key, in all their interleavings, look as if they had
 * come one after another; a sweep is never seen. The clock stands still: only then can one number mean two states.
 */
@Param(name = "cost", gen = IntGen.class, conf = "1:2")
@Param(name = "limit", gen = IntGen.class, conf = "0:1")
public abstract class LocalZoneLincheckTests {

    private static final RateLimitKey KEY = RateLimitKey.ofText("key");
    private static final Step DRAWN = new Step(Step.Verdict.ADMITTED, 0, 0, 0, 0);

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
        new ModelCheckingOptions()
                .iterations(5)
                .invocationsPerIteration(100)
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(1)
                .addGuarantee(ManagedStrategyGuaranteeKt.forClasses(name -> name.startsWith("com.github.benmanes."))
                        .allMethods()
                        .treatAsAtomic())
                .check(getClass());
    }

    private static String said(Step step) {
        return step.verdict() + " " + step.remaining();
    }
}
