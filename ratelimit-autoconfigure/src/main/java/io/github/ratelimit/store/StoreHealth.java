package io.github.ratelimit.store;

import io.github.ratelimit.store.StoreUnavailableException.Kind;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * How a shared store fares, as seen from this instance.
 *
 * @param state whether it is asked
 * @param failuresByKind requests that got no answer since the application started, by the reason
 */
public record StoreHealth(State state, Map<Kind, Long> failuresByKind) {

    /** Whether the store is asked. */
    public enum State {
        /** It is asked. */
        UP,
        /** It has failed, and is only looked for in the background; what stands in for it decides. */
        DOWN
    }

    /** Copies the counts. */
    public StoreHealth {
        Map<Kind, Long> copy = new EnumMap<>(Kind.class);
        copy.putAll(failuresByKind);
        failuresByKind = Collections.unmodifiableMap(copy);
    }

    /** Requests that got no answer, for whatever reason. */
    public long failures() {
        return failuresByKind.values().stream().mapToLong(Long::longValue).sum();
    }
}
