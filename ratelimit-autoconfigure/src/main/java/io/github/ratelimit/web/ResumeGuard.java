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
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes sure that a request which has waited never goes past a filter. It is mapped to asynchronous dispatches alone: a
 * server that picks the filters of a first dispatch for a {@link ResumedRequest}, as Tomcat does, never asks it about
 * one. Where a server does, the request goes on only if all filters are mapped to asynchronous dispatches too.
 */
public final class ResumeGuard implements Filter {

    private static final Logger log = LoggerFactory.getLogger(ResumeGuard.class);

    private final Supplier<List<String>> firstDispatchFilters;

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
        List<String> bypassed = isResumed(request) ? firstDispatchFilters.get() : List.of();
        if (bypassed.isEmpty()) {
            chain.doFilter(request, response);
            return;
        }
        log.error(
                "A delayed request cannot go on, because it would not pass the filters {} on this server;"
                        + " map them to DispatcherType.ASYNC too",
                bypassed);
        if (response instanceof HttpServletResponse httpResponse) {
            httpResponse.sendError(HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
        }
    }

    private static boolean isResumed(ServletRequest request) {
        Passage passage = request instanceof HttpServletRequest httpRequest ? Passage.of(httpRequest) : null;
        return passage != null && passage.waiting();
    }
}
