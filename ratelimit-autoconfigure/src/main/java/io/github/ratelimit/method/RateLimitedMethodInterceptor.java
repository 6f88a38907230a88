package io.github.ratelimit.method;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.limiter.Draw;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * Charges each call that comes through a bean's proxy, before the method runs and on the thread of the caller.
 *
 * <p>A handler that Spring MVC calls pays here only for what needs its arguments;
 * {@link RateLimitedHandlerInterceptor} has charged the rest.
 */
final class RateLimitedMethodInterceptor implements MethodInterceptor {

    private final RateLimitedMethods methods;

    RateLimitedMethodInterceptor(RateLimitedMethods methods) {
        this.methods = methods;
    }

    /**
     * Charges the call and goes on.
     *
     * @throws RateLimitExceededException when the call is refused
     */
    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        MethodLimits limits = methods.find(type(invocation), invocation.getMethod());
        if (limits == null) {
            return invocation.proceed();
        }
        List<Draw> occupied = charge(limits, request(), invocation.getArguments());
        return occupied.isEmpty() ? invocation.proceed() : occupying(occupied, limits, invocation);
    }

    private static List<Draw> charge(
            MethodLimits limits, @Nullable HttpServletRequest request, @Nullable Object[] arguments) {
        if (request != null && limits.handler()) {
            RequestCalls calls = RequestCalls.of(request);
            if (calls.arrive(limits)) {
                if (!calls.isFree()) {
                    limits.charger().afterBinding(limits, request, arguments);
                }
                return List.of();
            }
        }
        return limits.charger().charge(limits, request, arguments);
    }

    /** A call is in flight until it returns, or until the future that it returns is complete. */
    private static @Nullable Object occupying(List<Draw> occupied, MethodLimits limits, MethodInvocation invocation)
            throws Throwable {
        Object result = null;
        try {
            result = invocation.proceed();
            return result;
        } finally {
            if (result instanceof CompletionStage<?> stage) {
                stage.whenComplete((value, failure) -> limits.charger().release(occupied));
            } else {
                limits.charger().release(occupied);
            }
        }
    }

    private static @Nullable HttpServletRequest request() {
        return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes
                ? attributes.getRequest()
                : null;
    }

    /** The class of the bean; of the proxy, where there is nothing behind it. */
    private static Class<?> type(MethodInvocation invocation) {
        Object bean = invocation.getThis();
        if (bean == null && invocation instanceof ProxyMethodInvocation proxied) {
            bean = proxied.getProxy();
        }
        return bean == null ? invocation.getMethod().getDeclaringClass() : bean.getClass();
    }
}
