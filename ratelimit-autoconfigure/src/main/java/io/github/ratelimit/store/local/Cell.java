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
        this.tat = tat;
    }

    /** Draws permits; {@code null} when the cell is dead. */
    @Nullable
    Step acquire(Gcra gcra, long cost, long now) {
        while (true) {
            long seen = state(gcra, now);
            if (seen == DEAD) {
                return null;
            }
            long after = cost > gcra.burst() ? 0 : gcra.after(seen, cost, now);
            if (cost > gcra.burst() || !gcra.conforms(after, now)) {
                return gcra.refused(seen, cost, now);
            }
            if (TAT.compareAndSet(this, seen, after)) {
                return gcra.admitted(after, now);
            }
        }
    }

    /** What a draw would say; {@code null} when the cell is dead. */
    @Nullable
    Step peek(Gcra gcra, long cost, long now) {
        long seen = state(gcra, now);
        return seen == DEAD ? null : judged(gcra, seen, cost, now);
    }

    /** Gives permits back; false when the cell is dead. */
    boolean refund(Gcra gcra, long cost, long now) {
        while (true) {
            long seen = state(gcra, now);
            if (seen == DEAD) {
                return false;
            }
            if (TAT.compareAndSet(this, seen, gcra.refunded(seen, cost, now))) {
                return true;
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
    long state(Gcra gcra, long now) {
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
                long converted = gcra.converted(seen, units, now);
                units = gcra;
                tat = converted;
            }
        }
    }

    /** Adds what was drawn elsewhere for this key, in the units of the given arithmetic. */
    void raise(Gcra gcra, long units, long now) {
        long seen = state(gcra, now);
        while (seen != DEAD && !TAT.compareAndSet(this, seen, seen + units)) {
            seen = state(gcra, now);
        }
    }

    static boolean isDead(long state) {
        return state == DEAD;
    }

    static Step judged(Gcra gcra, long tat, long cost, long now) {
        if (cost > gcra.burst()) {
            return gcra.refused(tat, cost, now);
        }
        long after = gcra.after(tat, cost, now);
        return gcra.conforms(after, now) ? gcra.admitted(after, now) : gcra.refused(tat, cost, now);
    }
}
