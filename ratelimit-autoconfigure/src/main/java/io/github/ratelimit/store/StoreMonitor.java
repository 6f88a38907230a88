package io.github.ratelimit.store;

import io.github.ratelimit.store.StoreUnavailableException.Kind;
import org.jspecify.annotations.Nullable;

/** Tells how a shared store does. Safe for use by many threads. */
public interface StoreMonitor {

    /** The name of the store in meters and output, such as {@code redis}. */
    String name();

    /** How it does now; {@code null} as long as nothing is shared. */
    @Nullable
    StoreStatus status();

    /**
     * Tells a listener of every request that waits for the store from now on.
     *
     * @return stops telling it
     */
    Runnable onAnswer(AnswerListener listener);

    /** Hears of requests that waited for a store; on their thread, so it must be quick. */
    @FunctionalInterface
    interface AnswerListener {

        /**
         * A request has its answer, or has none.
         *
         * @param failure why it has none, {@code null} when it has one
         * @param nanos how long it waited
         */
        void answered(@Nullable Kind failure, long nanos);
    }
}
