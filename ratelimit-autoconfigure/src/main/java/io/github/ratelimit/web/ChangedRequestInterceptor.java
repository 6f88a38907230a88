package io.github.ratelimit.web;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Charges a request that a filter behind ours has given another verb or path, as a filter for method overrides does, by
 * the rule of what it is now: no later than this it is what its handler sees.
 */
public final class ChangedRequestInterceptor implements HandlerInterceptor {

    private final Gate gate;

    /** An interceptor that stands in front of all others. */
    public ChangedRequestInterceptor(Gate gate) {
        this.gate = gate;
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
            throws IOException {
        Passage passage = Passage.of(request);
        return passage == null
                || request.getDispatcherType() != DispatcherType.REQUEST
                || passage.isUnchanged(request)
                || gate.admitsChanged(passage, request, response);
    }
}
