package io.github.ratelimit.store.local;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Concurrency;
import io.github.ratelimit.algorithm.FixedWindow;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.algorithm.TokenBucket;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** Two threads on the state of one key. Time stands still, so that only the threads decide. */
public final class CellRaces {

    static final Ticker STILL = () -> 0;
    static final Algorithm BUCKET = TokenBucket.of(Rate.parse("1/d"), 1);
    static final Algorithm WINDOW = FixedWindow.of(Rate.parse("1/d"));
    static final Algorithm SLOTS = new Concurrency(1);

    private CellRaces() {}

    private static int drawn(Cell cell) {
        var step = cell.acquire(1, STILL);
        return step == null ? -1 : step.admitted() ? 1 : 0;
    }

    private static int left(Cell cell) {
        var step = cell.peek(0, STILL);
        return step == null ? -1 : (int) step.remaining();
    }

    /** Two draws on one permit of a token bucket. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1"},
            expect = ACCEPTABLE,
            desc = "one of them gets it")
    @Outcome(expect = FORBIDDEN)
    @State
    public static class LastPermitOfBucket {

        private final Cell cell = Cell.untouched(BUCKET, STILL);

        @Actor
        public void first(II_Result r) {
            r.r1 = drawn(cell);
        }

        @Actor
        public void second(II_Result r) {
            r.r2 = drawn(cell);
        }
    }

    /** Two draws on one permit of a window. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1"},
            expect = ACCEPTABLE,
            desc = "one of them gets it")
    @Outcome(expect = FORBIDDEN)
    @State
    public static class LastPermitOfWindow {

        private final Cell cell = Cell.untouched(WINDOW, STILL);

        @Actor
        public void first(II_Result r) {
            r.r1 = drawn(cell);
        }

        @Actor
        public void second(II_Result r) {
            r.r2 = drawn(cell);
        }
    }

    /** Two draws on one slot. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1"},
            expect = ACCEPTABLE,
            desc = "one of them gets it")
    @Outcome(expect = FORBIDDEN)
    @State
    public static class LastSlot {

        private final Cell cell = Cell.untouched(SLOTS, STILL);

        @Actor
        public void first(II_Result r) {
            r.r1 = drawn(cell);
        }

        @Actor
        public void second(II_Result r) {
            r.r2 = drawn(cell);
        }
    }

    /** A draw meets a permit on its way back to a bucket. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "the draw gets it")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "the draw came too early")
    @Outcome(expect = FORBIDDEN)
    @State
    public static class RefundToBucket {

        private final Cell cell = spent(BUCKET);

        @Actor
        public void draw(II_Result r) {
            r.r1 = drawn(cell);
        }

        @Actor
        public void refund() {
            cell.refund(1, STILL);
        }

        @Arbiter
        public void end(II_Result r) {
            r.r2 = left(cell);
        }
    }

    /** A draw meets a permit on its way back to a window. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "the draw gets it")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "the draw came too early")
    @Outcome(expect = FORBIDDEN)
    @State
    public static class RefundToWindow {

        private final Cell cell = spent(WINDOW);

        @Actor
        public void draw(II_Result r) {
            r.r1 = drawn(cell);
        }

        @Actor
        public void refund() {
            cell.refund(1, STILL);
        }

        @Arbiter
        public void end(II_Result r) {
            r.r2 = left(cell);
        }
    }

    /** A draw on a bucket that is dropped as untouched: nobody draws from what is gone. */
    @JCStressTest
    @Outcome(id = "1, 0, 0", expect = ACCEPTABLE, desc = "drawn, so it stays")
    @Outcome(id = "-1, 1, -1", expect = ACCEPTABLE, desc = "dropped, and the draw is told so")
    @Outcome(expect = FORBIDDEN)
    @State
    public static class DrawMeetsSweepOfBucket {

        private final Cell cell = Cell.untouched(BUCKET, STILL);

        @Actor
        public void draw(III_Result r) {
            r.r1 = drawn(cell);
        }

        @Actor
        public void sweep(III_Result r) {
            r.r2 = cell.dieIfUntouched(STILL) ? 1 : 0;
        }

        @Arbiter
        public void end(III_Result r) {
            r.r3 = left(cell);
        }
    }

    /** A draw on a window that is dropped as untouched. */
    @JCStressTest
    @Outcome(id = "1, 0, 0", expect = ACCEPTABLE, desc = "drawn, so it stays")
    @Outcome(id = "-1, 1, -1", expect = ACCEPTABLE, desc = "dropped, and the draw is told so")
    @Outcome(expect = FORBIDDEN)
    @State
    public static class DrawMeetsSweepOfWindow {

        private final Cell cell = Cell.untouched(WINDOW, STILL);

        @Actor
        public void draw(III_Result r) {
            r.r1 = drawn(cell);
        }

        @Actor
        public void sweep(III_Result r) {
            r.r2 = cell.dieIfUntouched(STILL) ? 1 : 0;
        }

        @Arbiter
        public void end(III_Result r) {
            r.r3 = left(cell);
        }
    }

    /** A slot that is let go meets the sweeper: it is free, or gone because nobody used it. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, -1"},
            expect = ACCEPTABLE)
    @Outcome(expect = FORBIDDEN)
    @State
    public static class ReleaseMeetsSweep {

        private final Cell cell = spent(SLOTS);

        @Actor
        public void release() {
            cell.refund(1, STILL);
        }

        @Actor
        public void sweep(II_Result r) {
            r.r1 = cell.dieIfUntouched(STILL) ? 1 : 0;
        }

        @Arbiter
        public void end(II_Result r) {
            r.r2 = left(cell);
        }
    }

    private static Cell spent(Algorithm algorithm) {
        Cell cell = Cell.untouched(algorithm, STILL);
        cell.acquire(1, STILL);
        return cell;
    }
}
