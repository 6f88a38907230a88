package io.github.ratelimit.method;

import io.github.ratelimit.RateLimitExceededException;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import org.springframework.aop.support.AopUtils;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Charges handler methods once the handler is known and before its arguments are bound or the body is read.
 *
 * <p>One request is charged once: not again when it is dispatched after asynchronous work, to an error page, by a
 * forward or an include; a CORS preflight not at all.
 */
public final class RateLimitedHandlerInterceptor implements HandlerInterceptor {

    private final RateLimitedMethods methods;
    private final Suspension suspension;

    /**
     * An interceptor.
     *
     * @param methods the limits in force
     * @param suspension lets delayed requests wait
     */
    public RateLimitedHandlerInterceptor(RateLimitedMethods methods, Suspension suspension) {
        this.methods = methods;
        this.suspension = suspension;
    }

    /**
     * Charges the handler for what needs no argument. A request that has to wait is dispatched again afterwards.
     *
     * @return false when the request waits
     * @throws RateLimitExceededException when the request is refused
     */
    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        if (handler instanceof HandlerMethod method) {
            MethodLimits limits = methods.find(method.getBeanType(), method.getMethod());
            if (limits != null && limits.handler()) {
                return enter(request, response, method, limits);
            }
        }
        return true;
    }

    private boolean enter(
            HttpServletRequest request, HttpServletResponse response, HandlerMethod method, MethodLimits limits) {
        boolean charged =
                request.getDispatcherType() == DispatcherType.REQUEST && !CorsUtils.isPreFlightRequest(request);
        if (charged && !RequestCalls.of(request).hasWaited(limits)) {
            Duration delay = limits.charger().beforeBinding(limits, request);
            if (!delay.isZero()) {
                RequestCalls.of(request).letWait(limits);
                if (suspension.enter(request, response, delay)) {
                    return false;
                }
                RequestCalls.of(request).hasWaited(limits);
            }
        }
        if (AopUtils.isAopProxy(method.getBean())) {
            RequestCalls.of(request).enter(limits, !charged);
        }
        return true;
    }
}
