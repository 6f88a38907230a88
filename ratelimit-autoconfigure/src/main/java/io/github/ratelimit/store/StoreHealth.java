package io.github.ratelimit.store;

import io.github.ratelimit.store.StoreUnavailableException.Kind;
import org.jspecify.annotations.Nullable;

/**
 * How a shared store fares, as seen from this instance.
 *
 * @param state whether it is asked
 * @param failures how often it gave no answer since the application started
 * @param lastFailure how it failed last, {@code null} when it never did
 */
public record StoreHealth(
        State state, long failures, @Nullable Kind lastFailure) {

    /** Whether the store is asked. */
    public enum State {
        /** It answers. */
        UP,
        /** It has failed so often that it is not asked at the moment. */
        DOWN,
        /** It has failed, and is tried again. */
        PROBING
    }
}
