package io.github.ratelimit.limiter;

import io.github.ratelimit.algorithm.Step;
import org.jspecify.annotations.Nullable;

/**
 * A charge of a request that goes on, and what its store said.
 *
 * @param charge for what
 * @param step tells from whose state it was drawn; {@code null} when the request had no key, and in dry run perhaps a
 *     refusal: then nothing was drawn
 */
public record Draw(Charge charge, @Nullable Step step) {

    /** Whether permits were drawn. */
    public boolean drawn() {
        return step != null && step.admitted();
    }

    /** Whether permits were drawn that come back when the request or call ends. */
    public boolean occupies() {
        return drawn() && charge.occupies();
    }
}
