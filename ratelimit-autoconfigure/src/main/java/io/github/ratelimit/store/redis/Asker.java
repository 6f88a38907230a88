package io.github.ratelimit.store.redis;

import io.github.ratelimit.store.StoreMonitor.AnswerListener;
import io.github.ratelimit.store.StoreUnavailableException;
import io.github.ratelimit.store.StoreUnavailableException.Kind;
import io.github.ratelimit.store.redis.Call.Operation;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Asks Redis on behalf of requests, unless it is known to be away; counts and tells what comes of it. */
final class Asker {

    private final Watch watch;
    private final Traveller traveller;
    private final FailureLog failures;
    private final List<AnswerListener> listeners = new CopyOnWriteArrayList<>();

    Asker(Watch watch, Traveller traveller, FailureLog failures) {
        this.watch = watch;
        this.traveller = traveller;
        this.failures = failures;
    }

    /**
     * Asks, and waits for the answers.
     *
     * @throws StoreUnavailableException when there are none
     */
    List<Answer> ask(Operation operation, List<Wish> wishes, long deadlineNanos) {
        long start = System.nanoTime();
        try {
            if (!watch.isUp()) {
                throw watch.refusal();
            }
            List<Answer> answers = traveller.ask(operation, wishes, deadlineNanos);
            listeners.forEach(listener -> listener.answered(null, System.nanoTime() - start));
            return answers;
        } catch (StoreUnavailableException e) {
            failures.count(e.kind());
            listeners.forEach(listener -> listener.answered(e.kind(), System.nanoTime() - start));
            if (e.kind() == Kind.TIMEOUT) {
                watch.failed(e);
            }
            throw e;
        }
    }

    /** Sends a wish that nobody waits for. */
    void send(Operation operation, Wish wish, long deadlineNanos) {
        if (watch.isUp()) {
            traveller.send(operation, wish, deadlineNanos);
        }
    }

    Runnable onAnswer(AnswerListener listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }
}
