package io.github.ratelimit.store.local;

import io.github.ratelimit.algorithm.Gcra;
import io.github.ratelimit.algorithm.Step;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The state of one key: a theoretical arrival time, moved by compare-and-set, and the arithmetic in whose units it is
 * said.
 *
 * <p>Two values of the time are reserved. A cell that is {@link #DEAD} has left its zone for good, and who finds one
 * looks the key up again. A cell that is {@link #BUSY} is being said in the units of a changed limit, which takes some
 * nanoseconds; nothing waits while it holds that mark.
 *
 * <p>The clock is always read after the state. So whatever led to that state happened earlier, a thread that was held
 * up cannot judge it by a time long past, and a state that lies too far ahead proves that the clock has jumped back.
 */
final class Cell {

    private static final long DEAD = Long.MIN_VALUE;
    private static final long BUSY = Long.MIN_VALUE + 1;

    private static final VarHandle TAT;

    static {
        try {
            TAT = MethodHandles.lookup().findVarHandle(Cell.class, "tat", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile long tat;
    private volatile Gcra units;

    Cell(Gcra units, long tat) {
        this.units = units;
        this.tat = unreserved(tat);
    }

    /** Draws permits; {@code null} when the cell is dead. */
    @Nullable
    Step acquire(Gcra gcra, long cost, Ticker ticker) {
        while (true) {
            long seen = state(gcra, ticker);
            if (seen == DEAD) {
                return null;
            }
            long now = ticker.read();
            if (!gcra.admits(seen, cost, now)) {
                if (settled(gcra, seen, now)) {
                    return gcra.refused(seen, cost, now);
                }
            } else {
                long after = gcra.after(seen, cost, now);
                if (moved(seen, after)) {
                    return gcra.admitted(after, now);
                }
            }
        }
    }

    /** What a draw would say; {@code null} when the cell is dead. */
    @Nullable
    Step peek(Gcra gcra, long cost, Ticker ticker) {
        while (true) {
            long seen = state(gcra, ticker);
            if (seen == DEAD) {
                return null;
            }
            long now = ticker.read();
            if (settled(gcra, seen, now)) {
                return gcra.admits(seen, cost, now)
                        ? gcra.admitted(gcra.after(seen, cost, now), now)
                        : gcra.refused(seen, cost, now);
            }
        }
    }

    /** Gives permits back; false when the cell is dead. */
    boolean refund(Gcra gcra, long cost, Ticker ticker) {
        while (true) {
            long seen = state(gcra, ticker);
            if (seen == DEAD) {
                return false;
            }
            if (moved(seen, gcra.refunded(seen, cost, ticker.read()))) {
                return true;
            }
        }
    }

    /** Adds what was drawn elsewhere for this key, in the units of the given arithmetic. */
    void raise(Gcra gcra, long drawn, Ticker ticker) {
        while (true) {
            long seen = state(gcra, ticker);
            if (seen == DEAD || moved(seen, gcra.settled(seen, ticker.read()) + drawn)) {
                return;
            }
        }
    }

    /** Kills the cell if it carries no information. */
    boolean dieIfFull(long now) {
        long seen = tat;
        return seen != DEAD && seen != BUSY && units.isFull(seen, now) && TAT.compareAndSet(this, seen, DEAD);
    }

    /** Kills the cell whatever it holds. */
    void die() {
        long seen = tat;
        while (seen != DEAD && (seen == BUSY || !TAT.compareAndSet(this, seen, DEAD))) {
            Thread.onSpinWait();
            seen = tat;
        }
    }

    /** The state in the units of the given arithmetic; {@link #DEAD} when there is none. */
    long state(Gcra gcra, Ticker ticker) {
        while (true) {
            long seen = tat;
            if (seen == BUSY) {
                Thread.onSpinWait();
            } else if (seen == DEAD) {
                return DEAD;
            } else if (units == gcra) {
                // read again: units and time are one state only if neither changed in between
                if (tat == seen) {
                    return seen;
                }
            } else if (TAT.compareAndSet(this, seen, BUSY)) {
                long converted = gcra.converted(seen, units, ticker.read());
                units = gcra;
                tat = unreserved(converted);
            }
        }
    }

    /** A refusal leaves a state as it is, unless the clock jumped back: else the key stayed locked for that long. */
    private boolean settled(Gcra gcra, long seen, long now) {
        return !gcra.isAhead(seen, now) || moved(seen, gcra.settled(seen, now));
    }

    private boolean moved(long from, long to) {
        return TAT.compareAndSet(this, from, unreserved(to));
    }

    /** A time that wrapped around onto a reserved value is said two units late. */
    private static long unreserved(long tat) {
        return Math.max(tat, BUSY + 1);
    }
}
