package io.github.ratelimit.web;

import io.github.ratelimit.RateLimitExceededException;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * Charges each request to the zones of its URL rule before it reaches the application.
 *
 * <p>One logical request is decided once, whatever dispatches it causes and however often this filter stands in its
 * way. A request that Spring Security answers itself never reaches {@link AuthenticatedRateLimitFilter}; what it would
 * have paid there without an identity is looked at here, and charged when the request ends.
 *
 * <p>A delayed request waits asynchronously. When it is dispatched again it is a new request for all that stands behind
 * this filter; a request that was delayed further down passes there for the second time. Whatever stands in front of
 * this filter sees an asynchronous request.
 */
public final class RateLimitFilter implements Filter {

    private final Gate gate;

    /** A filter before Spring Security. */
    public RateLimitFilter(Gate gate) {
        this.gate = gate;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (request instanceof HttpServletRequest httpRequest && response instanceof HttpServletResponse httpResponse) {
            filter(httpRequest, httpResponse, chain);
        } else {
            chain.doFilter(request, response);
        }
    }

    private void filter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Passage passage = Passage.of(request);
        ResumedRequest resumed = passage == null ? null : passage.resume();
        if (passage != null && resumed != null) {
            FirstDispatch first = new FirstDispatch(request);
            try {
                pass(passage, first, response, chain);
            } finally {
                first.end();
                resumed.end();
            }
        } else if (passage == null && request.getDispatcherType() == DispatcherType.REQUEST) {
            pass(gate.open(request, response), request, response, chain);
        } else {
            chain.doFilter(request, response);
        }
    }

    private void pass(Passage passage, HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        try {
            if (gate.admits(passage, Pass.EARLY, request, response)) {
                chain.doFilter(request, gate.behind(request, response));
            }
        } catch (ServletException e) {
            if (!(e.getRootCause() instanceof RateLimitExceededException refusal) || response.isCommitted()) {
                throw e;
            }
            gate.reject(request, response, refusal.decision());
        } catch (RateLimitExceededException e) {
            if (response.isCommitted()) {
                throw e;
            }
            gate.reject(request, response, e.decision());
        } finally {
            gate.close(passage, request);
        }
    }
}
