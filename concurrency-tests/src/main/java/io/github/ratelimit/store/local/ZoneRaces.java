package io.github.ratelimit.store.local;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.FixedWindow;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.algorithm.TokenBucket;
import io.github.ratelimit.key.RateLimitKey;
import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** Threads that meet in a whole zone: on the way in, on the way out, and while a limit changes. Time stands still. */
public final class ZoneRaces {

    static final RateLimitKey KEY = RateLimitKey.ofText("key");
    static final RateLimitKey OTHER = RateLimitKey.ofText("other");
    static final Algorithm ONE = CellRaces.BUCKET;

    private ZoneRaces() {}

    private static LocalZone zone(int maxKeys) {
        return new LocalZone(maxKeys, true, CellRaces.STILL);
    }

    private static int drawn(LocalZone zone, RateLimitKey key, Algorithm algorithm) {
        return zone.acquire(key, algorithm, 1).admitted() ? 1 : 0;
    }

    /** Two first draws of one key. */
    @JCStressTest
    @Outcome(
            id = {"1, 0, 1", "0, 1, 1"},
            expect = ACCEPTABLE,
            desc = "one permit, one key held")
    @Outcome(expect = FORBIDDEN)
    @State
    public static class FirstDraws {

        private final LocalZone zone = zone(10);

        @Actor
        public void first(III_Result r) {
            r.r1 = drawn(zone, KEY, ONE);
        }

        @Actor
        public void second(III_Result r) {
            r.r2 = drawn(zone, KEY, ONE);
        }

        @Arbiter
        public void end(III_Result r) {
            r.r3 = (int) zone.usage().keys();
        }
    }

    /** Two newcomers and one place: the other is counted in a shared bucket. */
    @JCStressTest
    @Outcome(id = "1, 1, 1", expect = ACCEPTABLE, desc = "the bound holds")
    @Outcome(expect = FORBIDDEN)
    @State
    public static class LastPlace {

        private final LocalZone zone = zone(1);

        @Actor
        public void first(III_Result r) {
            r.r1 = drawn(zone, KEY, ONE);
        }

        @Actor
        public void second(III_Result r) {
            r.r2 = drawn(zone, OTHER, ONE);
        }

        @Arbiter
        public void end(III_Result r) {
            r.r3 = (int) zone.usage().keys();
        }
    }

    /** A draw on a key that the sweeper is about to drop: it is made, on the old state or on a new one. */
    @JCStressTest
    @Outcome(id = "1, 0, 1", expect = ACCEPTABLE, desc = "drawn once, and remembered")
    @Outcome(expect = FORBIDDEN)
    @State
    public static class DrawMeetsSweep {

        private final LocalZone zone = zone(10);

        public DrawMeetsSweep() {
            var drawn = zone.acquire(KEY, ONE, 1);
            zone.refund(KEY, ONE, 1, drawn);
        }

        @Actor
        public void draw(III_Result r) {
            r.r1 = drawn(zone, KEY, ONE);
        }

        @Actor
        public void sweep() {
            zone.sweep();
        }

        @Arbiter
        public void end(III_Result r) {
            r.r2 = (int) zone.peek(KEY, ONE, 0).remaining();
            r.r3 = (int) zone.usage().keys();
        }
    }

    /** A draw on a spent key that is forgotten: it is admitted after that, or refused before. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "forgotten, then drawn")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "refused, then forgotten")
    @Outcome(expect = FORBIDDEN)
    @State
    public static class DrawMeetsForget {

        private final LocalZone zone = zone(10);

        public DrawMeetsForget() {
            zone.acquire(KEY, ONE, 1);
        }

        @Actor
        public void draw(II_Result r) {
            r.r1 = drawn(zone, KEY, ONE);
        }

        @Actor
        public void forget() {
            zone.forget(KEY);
        }

        @Arbiter
        public void end(II_Result r) {
            r.r2 = (int) zone.peek(KEY, ONE, 0).remaining();
        }
    }

    /** Two draws while the limit changes from one window to another and back: no change hands out a permit. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1"},
            expect = ACCEPTABLE,
            desc = "one permit under either limit")
    @Outcome(expect = FORBIDDEN)
    @State
    public static class ChangedWindow {

        private static final Algorithm TWO_DAYS = FixedWindow.of(Rate.parse("1/2d"));
        private final LocalZone zone = zone(10);

        @Actor
        public void before(II_Result r) {
            r.r1 = drawn(zone, KEY, CellRaces.WINDOW);
        }

        @Actor
        public void after(II_Result r) {
            r.r2 = drawn(zone, KEY, TWO_DAYS);
        }
    }

    /** Two draws while the limit changes from one bucket to another and back. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1"},
            expect = ACCEPTABLE,
            desc = "one permit under either limit")
    @Outcome(expect = FORBIDDEN)
    @State
    public static class ChangedBucket {

        private static final Algorithm TWO_DAYS = TokenBucket.of(Rate.parse("1/2d"), 1);
        private final LocalZone zone = zone(10);

        @Actor
        public void before(II_Result r) {
            r.r1 = drawn(zone, KEY, ONE);
        }

        @Actor
        public void after(II_Result r) {
            r.r2 = drawn(zone, KEY, TWO_DAYS);
        }
    }

    /** A draw under a second limit while a third comes: the first limit, which remembers longest, misses nothing when it returns. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "the draw is remembered under the first limit too")
    @Outcome(expect = FORBIDDEN)
    @State
    public static class DrawMeetsThirdLimit {

        private static final Algorithm DAILY = TokenBucket.of(Rate.parse("3/d"), 3);
        private static final Algorithm HOURLY = TokenBucket.of(Rate.parse("5/h"), 5);
        private static final Algorithm HALF_HOURLY = TokenBucket.of(Rate.parse("5/30m"), 5);

        private volatile long now;
        private final LocalZone zone = new LocalZone(10, true, () -> now);

        public DrawMeetsThirdLimit() {
            zone.acquire(KEY, DAILY, 2);
            zone.peek(KEY, HOURLY, 0);
        }

        @Actor
        public void draw(II_Result r) {
            r.r1 = drawn(zone, KEY, HOURLY);
        }

        @Actor
        public void change() {
            zone.peek(KEY, HALF_HOURLY, 0);
        }

        @Arbiter
        public void end(II_Result r) {
            now = Duration.ofHours(2).toNanos();
            r.r2 = (int) zone.peek(KEY, DAILY, 0).remaining();
        }
    }

    /** A newcomer that has spent its shared bucket gets room of its own meanwhile: without a free permit. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1"},
            expect = ACCEPTABLE,
            desc = "what it drew moves along")
    @Outcome(expect = FORBIDDEN)
    @State
    public static class LeavingTheBucket {

        private static final Algorithm TWO = TokenBucket.of(Rate.parse("2/d"), 2);
        private final LocalZone zone = zone(1);

        public LeavingTheBucket() {
            var held = zone.acquire(OTHER, TWO, 1);
            zone.acquire(KEY, TWO, 1);
            zone.refund(OTHER, TWO, 1, held);
        }

        @Actor
        public void first(II_Result r) {
            r.r1 = drawn(zone, KEY, TWO);
        }

        @Actor
        public void second(II_Result r) {
            zone.sweep();
            r.r2 = drawn(zone, KEY, TWO);
        }
    }
}
