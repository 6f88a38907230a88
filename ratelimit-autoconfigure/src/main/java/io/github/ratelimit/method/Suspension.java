package io.github.ratelimit.method;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;

/** Lets a request wait, without a thread where that is possible. Safe for use by many threads. */
@FunctionalInterface
public interface Suspension {

    /**
     * Lets a request wait on the seat that was taken for it.
     *
     * @param delay how long it waits
     * @return whether it is dispatched again when the time is over; false when it has waited on its thread and goes on
     */
    boolean enter(HttpServletRequest request, HttpServletResponse response, Duration delay);
}
