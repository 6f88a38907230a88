package io.github.ratelimit.store.redis;

import io.github.ratelimit.store.StoreUnavailableException;
import io.github.ratelimit.store.StoreUnavailableException.Kind;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Wishes that are decided together, on their way to Redis and back. One thread waits for it at most; whatever happens
 * first, the answer, a failure or the end of its patience, is what became of it.
 */
final class Call {

    /** What is to be done; the ordinal is what the script calls it. */
    enum Operation {
        ACQUIRE,
        PEEK,
        CHARGE,
        REFUND,
        RENEW,
        FORGET;

        /** Whether each wish gets an answer. */
        boolean answers() {
            return this == ACQUIRE || this == PEEK;
        }
    }

    private static final Object SENT = new Object();

    private final Operation operation;
    private final List<Wish> wishes;
    private final long deadlineNanos;
    private final @Nullable Thread waiter;
    private final @Nullable Arrival arrival;
    /** {@code null} while it is queued, {@link #SENT}, the list of answers, or the failure. */
    private final AtomicReference<@Nullable Object> state = new AtomicReference<>();

    /**
     * A call that is not sent yet.
     *
     * @param deadlineNanos by {@link System#nanoTime()}: later it must not be carried out
     * @param awaited whether the calling thread waits for it
     */
    Call(Operation operation, List<Wish> wishes, long deadlineNanos, boolean awaited) {
        this(operation, wishes, deadlineNanos, awaited, null);
    }

    /**
     * A call that is not sent yet.
     *
     * @param arrival told of the answers, if they come in time
     */
    Call(Operation operation, List<Wish> wishes, long deadlineNanos, boolean awaited, @Nullable Arrival arrival) {
        this.operation = operation;
        this.wishes = wishes;
        this.deadlineNanos = deadlineNanos;
        this.waiter = awaited ? Thread.currentThread() : null;
        this.arrival = arrival;
    }

    Operation operation() {
        return operation;
    }

    List<Wish> wishes() {
        return wishes;
    }

    long deadlineNanos() {
        return deadlineNanos;
    }

    /** Takes it out of the queue to be sent; false when nobody waits for it any more. */
    boolean sending(long nowNanos) {
        return deadlineNanos - nowNanos > 0 && state.compareAndSet(null, SENT);
    }

    /** The server did nothing, and would now: puts it back; false when nobody waits for it any more. */
    boolean again() {
        return state.compareAndSet(SENT, null);
    }

    /** It was carried out. */
    void answered(List<Answer> answers) {
        if (end(answers)) {
            Arrival told = arrival != null && arrival.arrived(answers) ? arrival : null;
            LockSupport.unpark(waiter);
            if (told != null) {
                told.announce();
            }
        }
    }

    /** There is no answer. */
    void failed(StoreUnavailableException failure) {
        if (end(failure)) {
            LockSupport.unpark(waiter);
        }
    }

    /**
     * Waits until its deadline for the answers; never within a monitor.
     *
     * @throws StoreUnavailableException when there are none
     */
    List<Answer> await() {
        boolean interrupted = false;
        try {
            while (!ended(state.get())) {
                long left = deadlineNanos - System.nanoTime();
                if (left <= 0) {
                    end(new StoreUnavailableException(Kind.TIMEOUT, "no answer from Redis in time", null));
                } else {
                    LockSupport.parkNanos(this, left);
                    // whoever is interrupted still has its deadline: what was sent may have been drawn
                    interrupted |= Thread.interrupted();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        Object outcome = state.get();
        if (outcome instanceof StoreUnavailableException failure) {
            throw failure;
        }
        @SuppressWarnings("unchecked")
        List<Answer> answers = (List<Answer>) outcome;
        return Objects.requireNonNull(answers);
    }

    /** False when something else has become of it before. */
    private boolean end(Object outcome) {
        Object seen = state.get();
        while (!ended(seen)) {
            if (state.compareAndSet(seen, outcome)) {
                return true;
            }
            seen = state.get();
        }
        return false;
    }

    private static boolean ended(@Nullable Object state) {
        return state != null && state != SENT;
    }
}
