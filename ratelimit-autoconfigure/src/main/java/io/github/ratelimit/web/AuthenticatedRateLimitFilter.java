package io.github.ratelimit.web;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Charges each request that Spring Security has let through to those zones of its URL rule that count by identity. */
public final class AuthenticatedRateLimitFilter implements Filter {

    private final Gate gate;

    /** A filter behind Spring Security. */
    public AuthenticatedRateLimitFilter(Gate gate) {
        this.gate = gate;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (!(request instanceof HttpServletRequest httpRequest)
                || !(response instanceof HttpServletResponse httpResponse)
                || admits(httpRequest, httpResponse)) {
            chain.doFilter(request, response);
        }
    }

    private boolean admits(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Passage passage = Passage.of(request);
        if (passage == null || request.getDispatcherType() != DispatcherType.REQUEST) {
            return true;
        }
        gate.identify(passage, request, response);
        return gate.admits(passage, Pass.AUTHENTICATED, request, response);
    }
}
