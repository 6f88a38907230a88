package io.github.ratelimit.store.local;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Concurrency;
import io.github.ratelimit.algorithm.Step;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.jspecify.annotations.Nullable;

/** Permits in use, moved by compare-and-set. */
final class CountCell extends Cell {

    private static final long DEAD = -1;
    private static final AtomicLongFieldUpdater<CountCell> IN_USE =
            AtomicLongFieldUpdater.newUpdater(CountCell.class, "inUse");

    private final Concurrency concurrency;
    private volatile long inUse;

    CountCell(Concurrency concurrency) {
        super(concurrency);
        this.concurrency = concurrency;
    }

    @Override
    @Nullable
    Step acquire(long cost, Ticker ticker, Step into) {
        while (true) {
            long seen = inUse;
            if (seen == DEAD) {
                return null;
            }
            Step step = concurrency.judge(seen, cost, into);
            if (!step.admitted() || IN_USE.compareAndSet(this, seen, seen + cost)) {
                return step;
            }
        }
    }

    @Override
    @Nullable
    Step peek(long cost, Ticker ticker) {
        long seen = inUse;
        return seen == DEAD ? null : concurrency.judge(seen, cost);
    }

    @Override
    boolean charge(long cost, Ticker ticker) {
        return changed(cost);
    }

    @Override
    boolean refund(long cost, Ticker ticker) {
        return changed(-cost);
    }

    private boolean changed(long cost) {
        while (true) {
            long seen = inUse;
            if (seen == DEAD) {
                return false;
            }
            if (IN_USE.compareAndSet(this, seen, Math.max(0, seen + cost))) {
                return true;
            }
        }
    }

    @Override
    boolean dieIfUntouched(Ticker ticker) {
        return IN_USE.compareAndSet(this, 0, DEAD);
    }

    @Override
    boolean die() {
        return IN_USE.compareAndSet(this, 0, DEAD) || inUse == DEAD;
    }

    @Override
    Cell successor(Algorithm next, Ticker ticker) {
        long last = IN_USE.getAndSet(this, DEAD);
        if (last == DEAD) {
            return this;
        }
        Cell successor = untouched(next, ticker);
        if (next instanceof Concurrency) {
            successor.charge(last, ticker);
        }
        return successor;
    }

    @Override
    @Nullable
    Cell departure(Ticker ticker) {
        return inUse == 0 ? new CountCell(concurrency) : null;
    }
}
