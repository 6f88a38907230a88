package io.github.ratelimit.store.local;

import io.github.ratelimit.algorithm.Step;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * When a full zone will have room again: once the first of its keys carries no information and the sweeper has dropped it.
 * All keys are looked at by one thread, and no more often than they are swept, however many newcomers are refused. Safe
 * for use by many threads.
 */
final class Outlook {

    private final Collection<Cell> cells;
    private final AtomicBoolean looking = new AtomicBoolean();
    private volatile @Nullable Look last;

    /**
     * A look at all keys.
     *
     * @param takenAt when it was taken
     * @param roomAt when the first of them carries no information, unless it is drawn from until then
     */
    private record Look(long takenAt, long roomAt) {

        boolean outdated(long now) {
            long age = now - takenAt;
            return age < 0 || age >= LocalStore.SWEEP_NANOS;
        }
    }

    /**
     * The outlook on keys.
     *
     * @param cells a view of them
     */
    Outlook(Collection<Cell> cells) {
        this.cells = cells;
    }

    /** Nanoseconds after which a newcomer finds room, if nobody draws from the keys that are held; above zero. */
    long waitNanos(Ticker ticker) {
        long now = ticker.read();
        Look look = last;
        if ((look == null || look.outdated(now)) && looking.compareAndSet(false, true)) {
            try {
                look = new Look(now, now + firstRest(ticker));
                last = look;
            } finally {
                looking.set(false);
            }
        }
        return LocalStore.SWEEP_NANOS + (look == null ? 0 : Math.max(0, look.roomAt() - now));
    }

    private long firstRest(Ticker ticker) {
        long first = Long.MAX_VALUE;
        for (Cell cell : cells) {
            Step step = cell.peek(0, ticker);
            first = Math.min(first, step == null ? 0 : step.resetNanos());
            if (first == 0) {
                return 0;
            }
        }
        return first == Long.MAX_VALUE ? 0 : first;
    }
}
