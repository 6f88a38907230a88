package io.github.ratelimit.store;

import io.github.ratelimit.store.StoreUnavailableException.Kind;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * How a shared store does.
 *
 * @param up whether it is asked; else it is looked for in the background, and what stands in for it decides
 * @param failures requests that got no answer, by the reason, since the application started
 */
public record StoreStatus(boolean up, Map<Kind, Long> failures) {

    /** Copies the counts. */
    public StoreStatus {
        Map<Kind, Long> copy = new EnumMap<>(Kind.class);
        copy.putAll(failures);
        failures = Collections.unmodifiableMap(copy);
    }

    /** Requests that got no answer, for whatever reason. */
    public long failureCount() {
        return failures.values().stream().mapToLong(Long::longValue).sum();
    }
}
