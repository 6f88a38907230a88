package io.github.ratelimit.store.local;

import io.github.ratelimit.algorithm.Step;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * When a full zone will have room again: once the first of its keys carries no information and the sweeper has dropped it.
 * The sweeper keeps it up to date; a request looks at all keys only where the zone has become full since the last sweep, and
 * one does for all, however many newcomers are refused. Safe for use by many threads.
 */
final class Outlook {

    /** A look of the sweeper is as old as this when a sweep was late. */
    private static final long OUTDATED_NANOS = 2 * LocalStore.SWEEP_NANOS;

    private final Map<?, Cell> cells;
    private final AtomicBoolean looking = new AtomicBoolean();
    private volatile @Nullable Look last;

    /**
     * A look at all keys.
     *
     * @param takenAt when it was taken
     * @param roomAt when the first of them carries no information, unless it is drawn from until then
     */
    private record Look(long takenAt, long roomAt) {

        boolean isOutdated(long now) {
            long age = now - takenAt;
            return age < 0 || age >= OUTDATED_NANOS;
        }
    }

    /** The outlook on these cells. */
    Outlook(Map<?, Cell> cells) {
        this.cells = cells;
    }

    /** Nanoseconds after which a newcomer finds room, if nobody draws from the keys that are held; above zero. */
    long waitNanos(Ticker ticker) {
        long now = ticker.read();
        Look look = last;
        if (look == null || look.isOutdated(now)) {
            look(ticker);
            look = last;
        }
        return LocalStore.SWEEP_NANOS + (look == null ? 0 : Math.max(0, look.roomAt() - now));
    }

    /** Looks at all keys, unless somebody else is. */
    void look(Ticker ticker) {
        if (looking.compareAndSet(false, true)) {
            try {
                long now = ticker.read();
                last = new Look(now, now + firstRest(ticker));
            } finally {
                looking.set(false);
            }
        }
    }

    /** There is room: when it is taken, others are held, and what was seen before says nothing of them. */
    void forget() {
        last = null;
    }

    private long firstRest(Ticker ticker) {
        long first = Long.MAX_VALUE;
        for (Cell cell : cells.values()) {
            Step step = cell.peek(0, ticker);
            first = Math.min(first, step == null ? 0 : step.resetNanos());
            if (first == 0) {
                return 0;
            }
        }
        return first == Long.MAX_VALUE ? 0 : first;
    }
}
