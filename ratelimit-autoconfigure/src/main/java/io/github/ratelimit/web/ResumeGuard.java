package io.github.ratelimit.web;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;

/**
 * Makes sure that a request which has waited never goes past a filter. It is mapped to asynchronous dispatches alone: a
 * server that picks the filters of a first dispatch for a {@link ResumedRequest}, as Tomcat does, never asks it about
 * one. Where a server does, the request goes on only if all filters are mapped to asynchronous dispatches too, and if
 * it is no WebSocket's handshake, for which Jetty has a filter of its own in front of the servlets.
 */
public final class ResumeGuard implements Filter {

    private static final Logger log = LoggerFactory.getLogger(ResumeGuard.class);

    private final Supplier<List<String>> firstDispatchFilters;
    private final AtomicBoolean warned = new AtomicBoolean();

    /**
     * A guard.
     *
     * @param firstDispatchFilters the names of the filters that are not mapped to asynchronous dispatches
     */
    public ResumeGuard(Supplier<List<String>> firstDispatchFilters) {
        this.firstDispatchFilters = firstDispatchFilters;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (request instanceof HttpServletRequest httpRequest
                && response instanceof HttpServletResponse httpResponse
                && isResumed(httpRequest)
                && !mayGoOn(httpRequest, httpResponse)) {
            return;
        }
        chain.doFilter(request, response);
    }

    private static boolean isResumed(HttpServletRequest request) {
        Passage passage = Passage.of(request);
        return passage != null && passage.waiting();
    }

    private boolean mayGoOn(HttpServletRequest request, HttpServletResponse response) throws IOException {
        List<String> bypassed = firstDispatchFilters.get();
        if (!bypassed.isEmpty()) {
            log.error(
                    "A delayed request cannot go on, because it would not pass the filters {} on this server;"
                            + " map them to DispatcherType.ASYNC too",
                    bypassed);
            response.sendError(HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
            return false;
        }
        if (isHandshake(request)) {
            if (warned.compareAndSet(false, true)) {
                log.warn(
                        "On this server a WebSocket's handshake cannot wait: those that a zone delays are answered 503;"
                                + " write delay-after: never for zones of such paths");
            }
            response.sendError(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
            return false;
        }
        return true;
    }

    /** By HTTP/1.1, and by RFC 8441. */
    private static boolean isHandshake(HttpServletRequest request) {
        return request.getHeader(HttpHeaders.UPGRADE) != null || "CONNECT".equals(request.getMethod());
    }
}
