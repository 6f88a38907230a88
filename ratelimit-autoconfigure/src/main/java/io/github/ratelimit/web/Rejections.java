package io.github.ratelimit.web;

import io.github.ratelimit.Decision;
import io.github.ratelimit.Decision.Reason;
import io.github.ratelimit.RejectionHandler;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import org.springframework.http.HttpHeaders;

/** Answers a refused request: the only place that writes a refusal. */
public final class Rejections {

    private final int status;
    private final RejectionHandler handler;

    /**
     * How refusals look.
     *
     * @param status the status of a used up quota
     * @param handler writes the body
     */
    public Rejections(int status, RejectionHandler handler) {
        this.status = status;
        this.handler = handler;
    }

    /** Writes the refusal; a response that is already on its way is left alone. */
    public void reject(HttpServletRequest request, HttpServletResponse response, Decision decision) throws IOException {
        if (response.isCommitted()) {
            return;
        }
        response.reset();
        response.setStatus(status(decision));
        Duration retryAfter = decision.retryAfter();
        if (retryAfter != null) {
            response.setHeader(HttpHeaders.RETRY_AFTER, Long.toString(wholeSeconds(retryAfter)));
        }
        handler.handle(request, response, decision);
    }

    private int status(Decision decision) {
        Reason reason = decision.reason();
        return reason == null
                ? status
                : switch (reason) {
                    case STORE_FAILURE -> HttpServletResponse.SC_SERVICE_UNAVAILABLE;
                    case DENIED -> HttpServletResponse.SC_FORBIDDEN;
                    case MISSING_KEY -> HttpServletResponse.SC_BAD_REQUEST;
                    case LIMIT, SHARED, FULL, PENALTY, COST -> status;
                };
    }

    /** Whole seconds, rounded up and at least one: who waits this long has waited long enough. */
    static long wholeSeconds(Duration duration) {
        return Math.max(1, duration.getSeconds() + (duration.getNano() > 0 ? 1 : 0));
    }
}
