package io.github.ratelimit.method;

import io.github.ratelimit.observe.Origin;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * What led to a decision about a call.
 *
 * @param limits the limits of the method
 * @param request the request that led to it, {@code null} when there is none
 */
record CallOrigin(MethodLimits limits, @Nullable HttpServletRequest request) implements Origin {

    @Override
    public String rule() {
        return limits.name();
    }

    @Override
    public @Nullable String method() {
        return request == null ? null : request.getMethod();
    }

    @Override
    public @Nullable String path() {
        return request == null ? null : request.getRequestURI();
    }

    @Override
    public @Nullable String userAgent() {
        return request == null ? null : request.getHeader("User-Agent");
    }
}
