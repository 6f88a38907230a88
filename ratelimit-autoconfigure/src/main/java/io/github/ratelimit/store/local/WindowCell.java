package io.github.ratelimit.store.local;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Concurrency;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.algorithm.WindowState;
import io.github.ratelimit.algorithm.Windowed;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Counts in windows: three numbers that change together, guarded by a version that is odd while they do.
 *
 * <p>Readers take no turn: they read the numbers between two looks at the version, and again if it changed. A writer
 * makes the version odd by compare-and-set for the few nanoseconds in which it writes; nothing waits while it is odd.
 */
final class WindowCell extends Cell {

    private static final long DEAD = Long.MAX_VALUE;
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

    WindowCell(Windowed windowed, Ticker ticker) {
        this(windowed, WindowState.untouched(ticker.read()));
    }

    private WindowCell(Windowed windowed, WindowState state) {
        super(windowed);
        this.windowed = windowed;
        this.start = state.startNanos();
        this.previous = state.previous();
        this.used = state.used();
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
            boolean done = step.admitted()
                    ? moved(seen, current.plus(cost))
                    : state.startNanos() > now ? moved(seen, current) : version == seen;
            if (done) {
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
            if (version == seen) {
                long now = ticker.read();
                return windowed.judge(windowed.at(state, now), cost, now);
            }
        }
    }

    @Override
    boolean charge(long cost, Ticker ticker) {
        return changed(cost, ticker);
    }

    @Override
    boolean refund(long cost, Ticker ticker) {
        return changed(-cost, ticker);
    }

    private boolean changed(long cost, Ticker ticker) {
        while (true) {
            long seen = stable();
            if (seen == DEAD) {
                return false;
            }
            WindowState current = windowed.at(state(), ticker.read());
            if (moved(seen, cost < 0 ? current.minus(-cost) : current.plus(cost))) {
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
    void die() {
        long seen = stable();
        while (seen != DEAD && !VERSION.compareAndSet(this, seen, DEAD)) {
            seen = stable();
        }
    }

    @Override
    Cell successor(Algorithm next, Ticker ticker) {
        long seen = stable();
        while (seen != DEAD) {
            WindowState last = state();
            if (VERSION.compareAndSet(this, seen, DEAD)) {
                return next instanceof Windowed other && other.getClass() == windowed.getClass()
                        ? new WindowCell(other, last)
                        : carried(next, windowed.at(last, ticker.read()), ticker);
            }
            seen = stable();
        }
        return this;
    }

    private static Cell carried(Algorithm next, WindowState last, Ticker ticker) {
        Cell successor = untouched(next, ticker);
        if (!(next instanceof Concurrency)) {
            successor.charge(last.used() + last.previous(), ticker);
        }
        return successor;
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

    @Override
    long drawn(Ticker ticker) {
        WindowState state = windowed.at(state(), ticker.read());
        return state.used() + state.previous();
    }

    /** The version once nobody writes. */
    private long stable() {
        long seen = version;
        while ((seen & 1) != 0 && seen != DEAD) {
            Thread.onSpinWait();
            seen = version;
        }
        return seen;
    }

    /** The numbers; they belong together only if the version is the same before and after. */
    private WindowState state() {
        return new WindowState(start, previous, used);
    }

    private boolean moved(long seen, WindowState to) {
        if (!VERSION.compareAndSet(this, seen, seen + 1)) {
            return false;
        }
        start = to.startNanos();
        previous = to.previous();
        used = to.used();
        version = seen + 2;
        return true;
    }
}
