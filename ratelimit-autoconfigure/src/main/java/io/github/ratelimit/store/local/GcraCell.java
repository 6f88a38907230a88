package io.github.ratelimit.store.local;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Gcra;
import io.github.ratelimit.algorithm.LeakyBucket;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.algorithm.TokenBucket;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** A theoretical arrival time, moved by compare-and-set: the state of token and leaky buckets. */
final class GcraCell extends Cell {

    private static final long DEAD = Long.MIN_VALUE;
    private static final VarHandle TAT;

    static {
        try {
            TAT = MethodHandles.lookup().findVarHandle(GcraCell.class, "tat", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Gcra gcra;
    private volatile long tat;

    GcraCell(Algorithm algorithm, Gcra gcra, Ticker ticker) {
        this(algorithm, gcra, gcra.full(ticker.read()));
    }

    private GcraCell(Algorithm algorithm, Gcra gcra, long tat) {
        super(algorithm);
        this.gcra = gcra;
        this.tat = living(tat);
    }

    @Override
    @Nullable
    Step acquire(long cost, Ticker ticker, Step into) {
        while (true) {
            long seen = tat;
            if (seen == DEAD) {
                return null;
            }
            long now = ticker.read();
            if (!gcra.admits(seen, cost, now)) {
                if (settled(seen, now)) {
                    return gcra.refused(seen, cost, now, into);
                }
            } else {
                long after = gcra.after(seen, cost, now);
                if (moved(seen, after)) {
                    return admitted(after, cost, now, into);
                }
            }
        }
    }

    @Override
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
                        ? admitted(gcra.after(seen, cost, now), cost, now, new Step())
                        : gcra.refused(seen, cost, now);
            }
        }
    }

    private Step admitted(long after, long cost, long now, Step into) {
        return algorithm() instanceof LeakyBucket bucket
                ? bucket.admitted(after, cost, now, into)
                : gcra.admitted(after, now, into);
    }

    @Override
    boolean charge(long cost, Ticker ticker) {
        while (true) {
            long seen = tat;
            if (seen == DEAD) {
                return false;
            }
            if (moved(seen, gcra.indebted(seen, cost, ticker.read()))) {
                return true;
            }
        }
    }

    @Override
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

    @Override
    boolean dieIfUntouched(Ticker ticker) {
        long seen = tat;
        return seen != DEAD && gcra.isFull(seen, ticker.read()) && TAT.compareAndSet(this, seen, DEAD);
    }

    @Override
    boolean die() {
        tat = DEAD;
        return true;
    }

    @Override
    Cell successor(Algorithm next, Ticker ticker) {
        long last = (long) TAT.getAndSet(this, DEAD);
        if (last == DEAD) {
            return this;
        }
        long now = ticker.read();
        Gcra arithmetic = next instanceof TokenBucket bucket
                ? bucket.gcra()
                : next instanceof LeakyBucket bucket ? bucket.gcra() : null;
        if (arithmetic != null) {
            return new GcraCell(next, arithmetic, arithmetic.converted(last, gcra, now));
        }
        long drawn = gcra.drawn(last, now);
        return carrying(drawn, drawn > gcra.burst(), next, ticker);
    }

    @Override
    Cell departure(Ticker ticker) {
        return new GcraCell(algorithm(), gcra, gcra.settled(tat, ticker.read()));
    }

    /** A refusal leaves a state as it is, unless the clock jumped back: else the key stayed locked for that long. */
    private boolean settled(long seen, long now) {
        return !gcra.isAhead(seen, now) || moved(seen, gcra.settled(seen, now));
    }

    /** Looks first: an exchange that fails would only keep the processor's line from those that succeed. */
    private boolean moved(long from, long to) {
        return tat == from && TAT.compareAndSet(this, from, living(to));
    }

    /** A time that wrapped around onto the reserved value is said two units late. */
    private static long living(long tat) {
        return tat == DEAD ? DEAD + 2 : tat;
    }
}
