package io.github.ratelimit.store.local;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.algorithm.WindowState;
import io.github.ratelimit.algorithm.Windowed;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * Counts in windows: an immutable state of four numbers, exchanged by compare-and-set. A draw makes one object, a look
 * or a refusal none; in return nobody ever waits for a writer that lost its processor between two of the numbers.
 */
final class WindowCell extends Cell {

    private static final WindowState DEAD = WindowState.untouched(0);
    private static final AtomicReferenceFieldUpdater<WindowCell, WindowState> STATE =
            AtomicReferenceFieldUpdater.newUpdater(WindowCell.class, WindowState.class, "state");

    private final Windowed windowed;
    private volatile WindowState state;

    WindowCell(Windowed windowed, Ticker ticker) {
        this(windowed, WindowState.untouched(ticker.read()));
    }

    private WindowCell(Windowed windowed, WindowState state) {
        super(windowed);
        this.windowed = windowed;
        this.state = state;
    }

    @Override
    @Nullable
    Step acquire(long cost, Ticker ticker, Step into) {
        while (true) {
            WindowState seen = state;
            if (seen == DEAD) {
                return null;
            }
            long now = ticker.read();
            WindowState current = windowed.at(seen, now);
            Step step = windowed.judge(current, cost, now, into);
            if (step.admitted() ? moved(seen, current.plus(cost)) : settled(seen, current, now)) {
                return step;
            }
        }
    }

    @Override
    @Nullable
    Step peek(long cost, Ticker ticker) {
        while (true) {
            WindowState seen = state;
            if (seen == DEAD) {
                return null;
            }
            long now = ticker.read();
            WindowState current = windowed.at(seen, now);
            if (settled(seen, current, now)) {
                return windowed.judge(current, cost, now);
            }
        }
    }

    @Override
    boolean charge(long cost, Ticker ticker) {
        while (true) {
            WindowState seen = state;
            if (seen == DEAD) {
                return false;
            }
            if (moved(seen, windowed.charged(windowed.at(seen, ticker.read()), cost))) {
                return true;
            }
        }
    }

    @Override
    boolean refund(long cost, Ticker ticker) {
        while (true) {
            WindowState seen = state;
            if (seen == DEAD) {
                return false;
            }
            if (moved(seen, windowed.at(seen, ticker.read()).minus(cost))) {
                return true;
            }
        }
    }

    @Override
    boolean dieIfUntouched(Ticker ticker) {
        WindowState seen = state;
        return seen != DEAD && windowed.at(seen, ticker.read()).isUntouched() && moved(seen, DEAD);
    }

    @Override
    boolean die() {
        state = DEAD;
        return true;
    }

    @Override
    Cell successor(Algorithm next, Ticker ticker) {
        WindowState last = STATE.getAndSet(this, DEAD);
        if (last == DEAD) {
            return this;
        }
        long now = ticker.read();
        if (next instanceof Windowed other) {
            return new WindowCell(other, other.adopted(last, windowed, now));
        }
        WindowState current = windowed.at(last, now);
        long drawn = current.used() + current.debt() + windowed.weight(current, now);
        return carrying(drawn, current.debt() > 0, next, ticker);
    }

    @Override
    Cell departure(Ticker ticker) {
        return new WindowCell(windowed, windowed.at(state, ticker.read()));
    }

    /** A look or a refusal leaves a state as it is, unless the clock jumped back: else the key stayed locked so long. */
    private boolean settled(WindowState seen, WindowState current, long now) {
        return now - seen.startNanos() >= 0 || seen.isUntouched() || moved(seen, current);
    }

    /** Looks first: an exchange that fails would only keep the processor's line from those that succeed. */
    private boolean moved(WindowState from, WindowState to) {
        return state == from && STATE.compareAndSet(this, from, to);
    }
}
