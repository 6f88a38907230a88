package io.github.ratelimit.limiter;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;

/** Lets a request wait without a thread. Safe for use by many threads. */
@FunctionalInterface
public interface Suspension {

    /**
     * Suspends a request on the seat that was taken for it; it is dispatched again when the time is over.
     *
     * @param delay how long it waits
     */
    void enter(HttpServletRequest request, HttpServletResponse response, Duration delay);
}
