package io.github.ratelimit.store.redis;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Step;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Permits of one key that this instance has drawn ahead and hands out. Only one trip fetches more at a time; whoever finds
 * none waits in line for it, and goes alone if that takes half of its time.
 */
final class Stock {

    private static final long KEEP_NANOS = 1_000_000_000L;

    private final Wish wish;
    private final AtomicReference<@Nullable Shelf> shelf = new AtomicReference<>();
    private final AtomicBoolean fetching = new AtomicBoolean();
    private final Queue<Waiter> waiters = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private volatile long usedNanos = System.nanoTime();

    /**
     * What lies there.
     *
     * @param left permits
     * @param step what Redis said when it was last fetched
     * @param untilNanos when it goes back
     */
    private record Shelf(long left, Algorithm algorithm, Step step, long untilNanos) {}

    Stock(Wish wish) {
        this.wish = wish;
    }

    /** Hands out permits; {@code null} when there are not enough. */
    @Nullable
    Step take(Algorithm algorithm, long cost, long nanos) {
        usedNanos = nanos;
        while (true) {
            Shelf seen = shelf.get();
            if (seen == null || seen.algorithm != algorithm || seen.left < cost || seen.untilNanos - nanos <= 0) {
                return null;
            }
            long left = seen.left - cost;
            if (shelf.compareAndSet(seen, new Shelf(left, algorithm, seen.step, seen.untilNanos))) {
                return new Step(Step.Verdict.ADMITTED, seen.step.remaining() + left, seen.step.resetNanos(), 0, 0);
            }
        }
    }

    /** Puts permits there that were drawn and are not used. */
    void put(Algorithm algorithm, long permits, Step step, long nanos) {
        Shelf seen = shelf.get();
        while (permits > 0) {
            long kept = seen != null && seen.algorithm == algorithm ? seen.left : 0;
            if (shelf.compareAndSet(seen, new Shelf(kept + permits, algorithm, step, nanos + KEEP_NANOS))) {
                return;
            }
            seen = shelf.get();
        }
    }

    /** Takes what has lain there too long: a wish to give it back; {@code null} when there is nothing. */
    @Nullable
    Wish clear(long nanos) {
        Shelf seen = shelf.get();
        if (seen == null || seen.untilNanos - nanos > 0 || !shelf.compareAndSet(seen, null) || seen.left == 0) {
            return null;
        }
        return wish.under(seen.algorithm).drawing(seen.left);
    }

    /** Whether nobody has wanted anything for as long as permits are kept. */
    boolean isIdle(long nanos) {
        return shelf.get() == null && !fetching.get() && nanos - usedNanos > KEEP_NANOS;
    }

    /** How many stand in line. */
    int waiting() {
        return waiting.get();
    }

    /** Takes the right to fetch; false when somebody else is fetching. */
    boolean setOut() {
        return fetching.compareAndSet(false, true);
    }

    /** The trip is over, one way or another: whoever comes may take what there is, or set out itself. */
    void returned() {
        fetching.set(false);
    }

    /**
     * Waits in line until whoever is fetching is back, and it is our {@link Turn}.
     *
     * @return whether it is worth another look; false when nothing came until then
     */
    boolean awaitTrip(long untilNanos) {
        Waiter waiter = new Waiter(Thread.currentThread());
        waiters.add(waiter);
        waiting.incrementAndGet();
        boolean interrupted = false;
        while (!waiter.woken && fetching.get()) {
            long left = untilNanos - System.nanoTime();
            if (left <= 0) {
                break;
            }
            LockSupport.parkNanos(this, left);
            interrupted |= Thread.interrupted();
        }
        // who was woken has left the line
        boolean gaveUp = !waiter.woken && waiters.remove(waiter) && fetching.get();
        waiting.decrementAndGet();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return !gaveUp;
    }

    /** Wakes the next in line, unless somebody has set out again and will. */
    void passOn() {
        if (!fetching.get()) {
            wakeNext();
        }
    }

    /** Wakes the next in line. */
    void wakeNext() {
        Waiter next = waiters.poll();
        if (next != null) {
            next.woken = true;
            LockSupport.unpark(next.thread);
        }
    }

    private static final class Waiter {

        private final Thread thread;
        private volatile boolean woken;

        private Waiter(Thread thread) {
            this.thread = thread;
        }
    }
}
