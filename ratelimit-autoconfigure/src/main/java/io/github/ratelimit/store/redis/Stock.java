package io.github.ratelimit.store.redis;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.store.StoreUnavailableException;
import io.github.ratelimit.store.StoreUnavailableException.Kind;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Permits of one key that this instance has drawn ahead and hands out. Only one trip fetches more at a time; whoever finds
 * none waits for it.
 */
final class Stock {

    private static final long KEEP_NANOS = 1_000_000_000L;

    private final Wish wish;
    private final AtomicReference<@Nullable Shelf> shelf = new AtomicReference<>();
    private final AtomicReference<@Nullable CompletableFuture<Void>> trip = new AtomicReference<>();
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
        return shelf.get() == null && trip.get() == null && nanos - usedNanos > KEEP_NANOS;
    }

    /** Takes the right to fetch; false when somebody else is fetching. */
    boolean setOut() {
        return trip.compareAndSet(null, new CompletableFuture<>());
    }

    /** The trip is over, one way or another. */
    void returned(@Nullable StoreUnavailableException failure) {
        CompletableFuture<Void> over = trip.getAndSet(null);
        if (over != null && failure != null) {
            over.completeExceptionally(failure);
        } else if (over != null) {
            over.complete(null);
        }
    }

    /**
     * Waits until whoever is fetching is back.
     *
     * @throws StoreUnavailableException when that fails, or takes too long
     */
    void awaitTrip(long deadlineNanos) {
        CompletableFuture<Void> under = trip.get();
        if (under == null) {
            return;
        }
        try {
            under.get(Math.max(1, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new StoreUnavailableException(Kind.TIMEOUT, "no answer from Redis in time", null);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof StoreUnavailableException failure ? failure : Failures.of(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailableException(Kind.TIMEOUT, "interrupted while waiting for Redis", e);
        }
    }
}
