package io.github.ratelimit;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * Writes the body of a refusal: a bean of this type replaces the problem document.
 *
 * <p>Status, {@code Retry-After} and quota headers are set before it is called and may be overridden. Called on the
 * request thread, by many threads at once.
 */
@FunctionalInterface
public interface RejectionHandler {

    /**
     * Writes the body.
     *
     * @param request the refused request
     * @param response its response, not committed, status and headers set
     * @param decision why it was refused, and for how long
     * @throws IOException when the client is gone
     */
    void handle(HttpServletRequest request, HttpServletResponse response, Decision decision) throws IOException;
}
