package io.github.ratelimit.web;

import io.github.ratelimit.Decision;
import io.github.ratelimit.Decision.Reason;
import io.github.ratelimit.RejectionHandler;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.http.HttpHeaders;

/** Answers a refused request: the only place that writes a refusal. */
public final class Rejections {

    private static final List<String> ABOUT_BODY = List.of(
            HttpHeaders.ACCEPT_RANGES,
            HttpHeaders.CACHE_CONTROL,
            HttpHeaders.ETAG,
            HttpHeaders.EXPIRES,
            HttpHeaders.LAST_MODIFIED,
            HttpHeaders.LOCATION,
            HttpHeaders.TRANSFER_ENCODING);

    private final int status;
    private final RejectionHandler handler;
    private final QuotaHeaders headers;
    private final CorsHeaders cors;

    /**
     * How refusals look.
     *
     * @param status the status of a used up quota
     * @param handler writes the body
     * @param headers tells clients about their quota
     * @param cors lets scripts of other origins read it
     */
    public Rejections(int status, RejectionHandler handler, QuotaHeaders headers, CorsHeaders cors) {
        this.status = status;
        this.handler = handler;
        this.headers = headers;
        this.cors = cors;
    }

    /** Writes the refusal; a response that is already on its way is left alone. */
    public void reject(HttpServletRequest request, HttpServletResponse response, Decision decision) throws IOException {
        if (response.isCommitted()) {
            return;
        }
        clear(response);
        cors.write(request, response);
        response.setStatus(status(decision));
        announce(request, response, decision);
        handler.handle(request, response, decision);
    }

    /** Says when to come back, and what the quota is, and leaves the rest of the answer to others. */
    void announce(HttpServletRequest request, HttpServletResponse response, Decision decision) {
        Duration retryAfter = decision.retryAfter();
        if (retryAfter != null) {
            response.setHeader(HttpHeaders.RETRY_AFTER, Long.toString(wholeSeconds(retryAfter)));
        }
        headers.write(request, response, decision);
    }

    /** Drops what was prepared for another body, and keeps what says nothing about it, such as the id of a request. */
    private static void clear(HttpServletResponse response) {
        Map<String, List<String>> kept = new LinkedHashMap<>();
        for (String name : response.getHeaderNames()) {
            if (!isAboutBody(name)) {
                kept.put(name, List.copyOf(response.getHeaders(name)));
            }
        }
        response.reset();
        kept.forEach((name, values) -> values.forEach(value -> response.addHeader(name, value)));
    }

    private static boolean isAboutBody(String header) {
        return header.regionMatches(true, 0, "Content-", 0, 8)
                || ABOUT_BODY.stream().anyMatch(name -> name.equalsIgnoreCase(header));
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
