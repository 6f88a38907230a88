package io.github.ratelimit.store.local;

import io.github.ratelimit.algorithm.Gcra;
import io.github.ratelimit.algorithm.Step;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The state of one key under one limit: a theoretical arrival time, moved by compare-and-set.
 *
 * <p>A cell that is {@link #DEAD} has left its zone for good: its state carried no information, or lives on in the
 * {@link #successor} that says it in the units of a changed limit. Who finds a dead cell looks the key up again.
 *
 * <p>The clock is always read after the state. So whatever led to that state happened earlier, a thread that was held
 * up cannot judge it by a time long past, and a state that lies too far ahead proves that the clock has jumped back.
 */
final class Cell {

    /** What {@link #state} says of a cell that has none any more. */
    static final long DEAD = Long.MIN_VALUE;

    private static final VarHandle TAT;

    static {
        try {
            TAT = MethodHandles.lookup().findVarHandle(Cell.class, "tat", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Gcra gcra;
    private volatile long tat;

    Cell(Gcra gcra, long tat) {
        this.gcra = gcra;
        this.tat = living(tat);
    }

    /** Whether the state is said in the units of this arithmetic. */
    boolean isUnder(Gcra gcra) {
        return this.gcra == gcra;
    }

    /** The theoretical arrival time, or {@link #DEAD}. */
    long state() {
        return tat;
    }

    /** Draws permits; {@code null} when the cell is dead. */
    @Nullable
    Step acquire(long cost, Ticker ticker) {
        while (true) {
            long seen = tat;
            if (seen == DEAD) {
                return null;
            }
            long now = ticker.read();
            if (!gcra.admits(seen, cost, now)) {
                if (settled(seen, now)) {
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
    Step peek(long cost, Ticker ticker) {
        while (true) {
            long seen = tat;
            if (seen == DEAD) {
                return null;
            }
            long now = ticker.read();
            if (settled(seen, now)) {
                return gcra.admits(seen, cost, now)
                        ? gcra.admitted(gcra.after(seen, cost, now), now)
                        : gcra.refused(seen, cost, now);
            }
        }
    }

    /** Gives permits back; false when the cell is dead. */
    boolean refund(long cost, Ticker ticker) {
        while (true) {
            long seen = tat;
            if (seen == DEAD) {
                return false;
            }
            if (moved(seen, gcra.refunded(seen, cost, ticker.read()))) {
                return true;
            }
        }
    }

    /** Adds units of time that were drawn elsewhere for this key; false when the cell is dead. */
    boolean raise(long units, Ticker ticker) {
        while (true) {
            long seen = tat;
            if (seen == DEAD) {
                return false;
            }
            if (moved(seen, gcra.settled(seen, ticker.read()) + units)) {
                return true;
            }
        }
    }

    /** Kills the cell if it carries no information. */
    boolean dieIfFull(long now) {
        long seen = tat;
        return seen != DEAD && gcra.isFull(seen, now) && TAT.compareAndSet(this, seen, DEAD);
    }

    /** Kills the cell whatever it holds, and gives what it held. */
    long die() {
        return (long) TAT.getAndSet(this, DEAD);
    }

    /** Kills the cell and carries its consumption over to another limit; a cell that is dead already stays what it is. */
    Cell successor(Gcra next, Ticker ticker) {
        long last = die();
        return last == DEAD ? this : new Cell(next, next.converted(last, gcra, ticker.read()));
    }

    /** A refusal leaves a state as it is, unless the clock jumped back: else the key stayed locked for that long. */
    private boolean settled(long seen, long now) {
        return !gcra.isAhead(seen, now) || moved(seen, gcra.settled(seen, now));
    }

    private boolean moved(long from, long to) {
        return TAT.compareAndSet(this, from, living(to));
    }

    /** A time that wrapped around onto the reserved value is said one unit late. */
    private static long living(long tat) {
        return Math.max(tat, DEAD + 1);
    }
}
