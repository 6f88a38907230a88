package io.github.ratelimit.store.local;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Concurrency;
import io.github.ratelimit.algorithm.Step;
import org.jspecify.annotations.Nullable;

/**
 * A key under a limit that would forget some of what was drawn under an earlier one: its state under both.
 *
 * <p>Think of 100 in ten minutes of which 90 are drawn, lowered to 5 a minute. Under the new limit the key is as if just
 * spent, and a minute later it is whole. Were that all, raising the limit again would hand out what was drawn before. So
 * the state under the earlier limit is carried on beside it, until that is whole too: when the limit changes again, the
 * stricter of the two counts, and a limit that comes back finds what it would have found, had it stayed.
 *
 * <p>One earlier limit is remembered, of several the one that remembers longest. What is drawn beyond its quota meanwhile is not
 * counted against it: at worst a key is as if just spent.
 *
 * <p>Both states change together, so this cell, unlike others, has a lock: a key has such a cell only for a while after its
 * limit was changed.
 */
final class RememberingCell extends Cell {

    private final Cell current;
    private final Cell past;

    private RememberingCell(Cell current, Cell past) {
        super(current.algorithm());
        this.current = current;
        this.past = past;
    }

    /** Kills a cell and carries its consumption over to another limit; a cell that is dead already stays what it is. */
    static Cell successor(Cell cell, Algorithm next, Ticker ticker) {
        if (next instanceof Concurrency || cell.algorithm() instanceof Concurrency) {
            return cell.successor(next, ticker);
        }
        Cell last = cell.successor(cell.algorithm(), ticker);
        if (last == cell) {
            return cell;
        }
        // nobody else sees this state: it can be copied and killed at leisure
        Cell under = last instanceof RememberingCell two ? two.current : last;
        Cell past = last instanceof RememberingCell two ? two.past : under;
        Cell said = said(under, next, ticker);
        if (past != under) {
            said = stricter(said, said(past, next, ticker), ticker);
        }
        Cell memory = forgets(said, under, ticker) ? under : null;
        if (forgets(said, past, ticker) && (memory == null || lasting(past, ticker) > lasting(memory, ticker))) {
            memory = past;
        }
        return memory == null ? said : new RememberingCell(said, memory);
    }

    /** Whether a cell says less than another one, or says it for a shorter time. */
    private static boolean forgets(Cell cell, Cell other, Ticker ticker) {
        return lasting(cell, ticker) < lasting(other, ticker) || drawn(cell, ticker) < drawn(other, ticker);
    }

    /** The state of a cell that nobody else sees, said under another limit. */
    private static Cell said(Cell cell, Algorithm next, Ticker ticker) {
        Cell copy = cell.departure(ticker);
        return copy == null ? untouched(next, ticker) : copy.successor(next, ticker);
    }

    private static Cell stricter(Cell one, Cell other, Ticker ticker) {
        long left = left(one, ticker);
        long otherLeft = left(other, ticker);
        boolean better = left == otherLeft ? lasting(other, ticker) > lasting(one, ticker) : otherLeft < left;
        return better ? other : one;
    }

    private static long left(Cell cell, Ticker ticker) {
        Step look = cell.peek(0, ticker);
        return look == null ? Long.MAX_VALUE : look.remaining();
    }

    /** Permits that are missing from the quota. */
    private static long drawn(Cell cell, Ticker ticker) {
        return cell.algorithm().limit() - Math.min(cell.algorithm().limit(), left(cell, ticker));
    }

    /** How long a cell remembers what was drawn. */
    private static long lasting(Cell cell, Ticker ticker) {
        Step look = cell.peek(0, ticker);
        return look == null ? 0 : look.resetNanos();
    }

    /** What is left when the earlier limit has nothing to remember any more; {@code null} while it has. */
    @Nullable
    synchronized Cell rest(Ticker ticker) {
        return past.dieIfUntouched(ticker) || past.peek(0, ticker) == null ? current : null;
    }

    @Override
    @Nullable
    synchronized Step acquire(long cost, Ticker ticker, Step into) {
        Step step = current.acquire(cost, ticker, into);
        if (step != null && step.admitted()) {
            past.drain(cost, ticker);
        }
        return step;
    }

    @Override
    @Nullable
    Step peek(long cost, Ticker ticker) {
        return current.peek(cost, ticker);
    }

    @Override
    synchronized boolean charge(long cost, Ticker ticker) {
        past.charge(cost, ticker);
        return current.charge(cost, ticker);
    }

    @Override
    synchronized boolean refund(long cost, Ticker ticker) {
        past.refund(cost, ticker);
        return current.refund(cost, ticker);
    }

    @Override
    synchronized boolean dieIfUntouched(Ticker ticker) {
        return rest(ticker) != null && current.dieIfUntouched(ticker);
    }

    @Override
    synchronized boolean die() {
        past.die();
        return current.die();
    }

    @Override
    synchronized Cell successor(Algorithm next, Ticker ticker) {
        Cell successor = current.successor(next, ticker);
        if (successor == current) {
            return this;
        }
        Cell memory = past.successor(past.algorithm(), ticker);
        boolean over = memory == past || next instanceof Concurrency;
        return over ? successor : new RememberingCell(successor, memory);
    }

    @Override
    @Nullable
    synchronized Cell departure(Ticker ticker) {
        Cell one = current.departure(ticker);
        Cell other = past.peek(0, ticker) == null ? null : past.departure(ticker);
        return one == null || other == null ? one : new RememberingCell(one, other);
    }
}
