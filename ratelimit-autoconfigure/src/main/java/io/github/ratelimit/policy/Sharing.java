package io.github.ratelimit.policy;

import io.github.ratelimit.algorithm.Algorithm;
import org.jspecify.annotations.Nullable;

/**
 * How a zone shares its state with the other instances of the application.
 *
 * @param onFailure what happens while the shared store fails
 * @param guard a coarse limit of this instance that is asked before the store, one permit a request; {@code null} for none
 * @param lease permits fetched per trip, at least 1
 */
public record Sharing(OnFailure onFailure, @Nullable Algorithm guard, int lease) {

    /** What happens while the shared store fails. */
    public enum OnFailure {
        /** The same limit is kept in this instance until the store is back. */
        LOCAL,
        /** Requests go on uncounted. */
        ALLOW,
        /** Requests are refused. */
        REJECT
    }

    /** Checks the lease. */
    public Sharing {
        if (lease < 1) {
            throw new IllegalArgumentException("is below 1; write how many permits to fetch per trip");
        }
    }
}
