package io.github.ratelimit.store.redis;

import io.github.ratelimit.store.StoreUnavailableException;
import io.github.ratelimit.store.StoreUnavailableException.Kind;
import io.github.ratelimit.store.redis.Call.Operation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Asks Redis on behalf of requests, unless it is known to be away; counts and tells what comes of it. */
final class Asker {

    private final Watch watch;
    private final Traveller traveller;
    private final FailureLog failures;

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
        return ask(operation, wishes, deadlineNanos, null);
    }

    /**
     * Asks, and waits for the answers.
     *
     * @param arrival told of them, unless they come apart
     * @throws StoreUnavailableException when there are none
     */
    List<Answer> ask(Operation operation, List<Wish> wishes, long deadlineNanos, @Nullable Arrival arrival) {
        try {
            if (!watch.isUp()) {
                throw watch.refusal();
            }
            return traveller.ask(operation, wishes, deadlineNanos, arrival);
        } catch (StoreUnavailableException e) {
            failures.count(e.kind());
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
}
