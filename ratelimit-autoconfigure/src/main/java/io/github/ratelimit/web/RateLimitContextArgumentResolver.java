package io.github.ratelimit.web;

import io.github.ratelimit.RateLimitContext;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;

/**
 * Gives handler methods the {@link RateLimitContext} of their request; one that does nothing where the request has none.
 */
public final class RateLimitContextArgumentResolver implements HandlerMethodArgumentResolver {

    @Override
    public boolean supportsParameter(MethodParameter parameter) {
        return parameter.getParameterType() == RateLimitContext.class;
    }

    @Override
    public Object resolveArgument(
            MethodParameter parameter,
            @Nullable ModelAndViewContainer container,
            NativeWebRequest request,
            @Nullable WebDataBinderFactory binders) {
        Object context = request.getAttribute(RateLimitContext.ATTRIBUTE, RequestAttributes.SCOPE_REQUEST);
        return context != null ? context : NoRateLimitContext.INSTANCE;
    }
}
