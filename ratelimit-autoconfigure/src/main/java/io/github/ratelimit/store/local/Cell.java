package io.github.ratelimit.store.local;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Concurrency;
import io.github.ratelimit.algorithm.LeakyBucket;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.algorithm.TokenBucket;
import io.github.ratelimit.algorithm.Windowed;
import org.jspecify.annotations.Nullable;

/**
 * The state of one key under one limit.
 *
 * <p>A cell that is dead has left its zone for good: its state carried no information, or lives on in the
 * {@link #successor} that says it under a changed limit. Who finds a dead cell looks the key up again.
 *
 * <p>The clock is always read after the state. So whatever led to that state happened earlier, a thread that was held
 * up cannot judge it by a time long past, and a state that lies too far ahead proves that the clock has jumped back.
 */
abstract class Cell {

    private final Algorithm algorithm;

    Cell(Algorithm algorithm) {
        this.algorithm = algorithm;
    }

    /**
     * The cell of a key that has drawn so much under a limit of another kind. Permits that are only in use are no such
     * consumption.
     */
    static Cell carrying(long drawn, boolean inDebt, Algorithm algorithm, Ticker ticker) {
        Cell cell = untouched(algorithm, ticker);
        if (!(algorithm instanceof Concurrency)) {
            // who owed nothing is at worst as if just spent
            cell.charge(inDebt ? drawn : Math.min(drawn, algorithm.limit()), ticker);
        }
        return cell;
    }

    /** The cell of a key that has never drawn. */
    static Cell untouched(Algorithm algorithm, Ticker ticker) {
        if (algorithm instanceof TokenBucket bucket) {
            return new GcraCell(bucket, bucket.gcra(), ticker);
        }
        if (algorithm instanceof LeakyBucket bucket) {
            return new GcraCell(bucket, bucket.gcra(), ticker);
        }
        if (algorithm instanceof Windowed windowed) {
            return new WindowCell(windowed, ticker);
        }
        return new CountCell((Concurrency) algorithm);
    }

    /** The limit under which the state is said. */
    final Algorithm algorithm() {
        return algorithm;
    }

    /** Whether permits drawn under that limit are counted here: those in use and those consumed are not the same. */
    final boolean counts(Algorithm drawnUnder) {
        return algorithm instanceof Concurrency == drawnUnder instanceof Concurrency;
    }

    /** Draws permits; {@code null} when the cell is dead. */
    final @Nullable Step acquire(long cost, Ticker ticker) {
        return acquire(cost, ticker, new Step());
    }

    /** Draws permits and answers in the place that is given for it; {@code null} when the cell is dead. */
    abstract @Nullable Step acquire(long cost, Ticker ticker, Step into);

    /** What a draw would say; {@code null} when the cell is dead. */
    abstract @Nullable Step peek(long cost, Ticker ticker);

    /** Draws as many of these permits as there are, while nobody else draws from this cell. */
    final void drain(long cost, Ticker ticker) {
        Step look = peek(0, ticker);
        long drawn = look == null ? 0 : Math.min(cost, look.remaining());
        if (drawn > 0) {
            charge(drawn, ticker);
        }
    }

    /** Draws permits whether or not there are any left; false when the cell is dead. */
    abstract boolean charge(long cost, Ticker ticker);

    /** Gives permits back; false when the cell is dead. */
    abstract boolean refund(long cost, Ticker ticker);

    /** Kills the cell if it carries no information. */
    abstract boolean dieIfUntouched(Ticker ticker);

    /** Kills the cell whatever it holds; false when it has to live because permits of it are in use. */
    abstract boolean die();

    /**
     * Kills the cell and carries its consumption over to another limit; a cell that is dead already stays what it is.
     */
    abstract Cell successor(Algorithm next, Ticker ticker);

    /**
     * A cell for a key that leaves this one, which it shared with others, and takes its consumption along;
     * {@code null} when it may not leave, because what is drawn here comes back here.
     */
    abstract @Nullable Cell departure(Ticker ticker);
}
