package io.github.ratelimit.store.local;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.algorithm.WindowState;
import io.github.ratelimit.algorithm.Windowed;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Counts in windows: four numbers that change together, guarded by a version that is odd while they do.
 *
 * <p>Readers take no turn: they read the numbers between two looks at the version, and again if it changed. A writer
 * makes the version odd by compare-and-set for the few nanoseconds in which it writes them.
 */
final class WindowCell extends Cell {

    private static final long DEAD = Long.MAX_VALUE;
    /** Far more than a write takes: a writer that is not done by then has lost its processor. */
    private static final int SPINS = 1_000;

    private static final VarHandle VERSION;

    static {
        try {
            VERSION = MethodHandles.lookup().findVarHandle(WindowCell.class, "version", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Windowed windowed;
    private volatile long version;
    private volatile long start;
    private volatile long previous;
    private volatile long used;
    private volatile long debt;

    WindowCell(Windowed windowed, Ticker ticker) {
        this(windowed, WindowState.untouched(ticker.read()));
    }

    private WindowCell(Windowed windowed, WindowState state) {
        super(windowed);
        this.windowed = windowed;
        this.start = state.startNanos();
        this.previous = state.previous();
        this.used = state.used();
        this.debt = state.debt();
    }

    @Override
    @Nullable
    Step acquire(long cost, Ticker ticker) {
        while (true) {
            long seen = stable();
            if (seen == DEAD) {
                return null;
            }
            WindowState state = state();
            long now = ticker.read();
            WindowState current = windowed.at(state, now);
            Step step = windowed.judge(current, cost, now);
            if (step.admitted() ? moved(seen, current.plus(cost)) : settled(seen, state, current, now)) {
                return step;
            }
        }
    }

    @Override
    @Nullable
    Step peek(long cost, Ticker ticker) {
        while (true) {
            long seen = stable();
            if (seen == DEAD) {
                return null;
            }
            WindowState state = state();
            long now = ticker.read();
            WindowState current = windowed.at(state, now);
            if (settled(seen, state, current, now)) {
                return windowed.judge(current, cost, now);
            }
        }
    }

    @Override
    boolean charge(long cost, Ticker ticker) {
        while (true) {
            long seen = stable();
            if (seen == DEAD) {
                return false;
            }
            if (moved(seen, windowed.charged(windowed.at(state(), ticker.read()), cost))) {
                return true;
            }
        }
    }

    @Override
    boolean refund(long cost, Ticker ticker) {
        while (true) {
            long seen = stable();
            if (seen == DEAD) {
                return false;
            }
            if (moved(seen, windowed.at(state(), ticker.read()).minus(cost))) {
                return true;
            }
        }
    }

    @Override
    boolean dieIfUntouched(Ticker ticker) {
        long seen = stable();
        return seen != DEAD
                && windowed.at(state(), ticker.read()).isUntouched()
                && VERSION.compareAndSet(this, seen, DEAD);
    }

    @Override
    boolean die() {
        long seen = stable();
        while (seen != DEAD && !VERSION.compareAndSet(this, seen, DEAD)) {
            seen = stable();
        }
        return true;
    }

    @Override
    Cell successor(Algorithm next, Ticker ticker) {
        long seen = stable();
        while (seen != DEAD) {
            WindowState last = state();
            if (VERSION.compareAndSet(this, seen, DEAD)) {
                return carried(last, next, ticker);
            }
            seen = stable();
        }
        return this;
    }

    private Cell carried(WindowState last, Algorithm next, Ticker ticker) {
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
        while (true) {
            long seen = stable();
            WindowState state = state();
            if (version == seen) {
                return new WindowCell(windowed, windowed.at(state, ticker.read()));
            }
        }
    }

    /** The version once nobody writes. */
    private long stable() {
        long seen = version;
        for (int spins = 0; (seen & 1) != 0 && seen != DEAD; spins++) {
            if (spins < SPINS) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
            seen = version;
        }
        return seen;
    }

    /** The numbers; they belong together only if the version is the same before and after. */
    private WindowState state() {
        return new WindowState(start, previous, used, debt);
    }

    /** A look or a refusal leaves a state as it is, unless the clock jumped back: else the key stayed locked so long. */
    private boolean settled(long seen, WindowState state, WindowState current, long now) {
        return now - state.startNanos() < 0 && !state.isUntouched() ? moved(seen, current) : version == seen;
    }

    private boolean moved(long seen, WindowState to) {
        if (!VERSION.compareAndSet(this, seen, seen + 1)) {
            return false;
        }
        start = to.startNanos();
        previous = to.previous();
        used = to.used();
        debt = to.debt();
        version = seen + 2;
        return true;
    }
}
