package io.github.ratelimit.web;

import io.github.ratelimit.RateLimitExceededException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Gives a refusal by {@code @RateLimited} the same answer as one by the filter.
 *
 * <p>It stands before the application's exception handlers, because a catch-all for {@link Exception} would make a 500
 * of every refusal; it steps back where the application handles {@link RateLimitExceededException} by name, once
 * {@code Retry-After} and the quota are in the headers, which the application may override.
 */
public final class RateLimitExceptionResolver implements HandlerExceptionResolver, Ordered {

    private final Rejections rejections;
    private final Supplier<List<ControllerAdviceBean>> advices;
    private final Map<Class<?>, Boolean> handles = new ConcurrentHashMap<>();

    /**
     * A resolver.
     *
     * @param rejections answers refused requests
     * @param advices the application's {@code @ControllerAdvice} beans
     */
    public RateLimitExceptionResolver(Rejections rejections, Supplier<List<ControllerAdviceBean>> advices) {
        this.rejections = rejections;
        this.advices = advices;
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public @Nullable ModelAndView resolveException(
            HttpServletRequest request, HttpServletResponse response, @Nullable Object handler, Exception exception) {
        RateLimitExceededException refusal = refusal(exception);
        if (refusal == null || response.isCommitted()) {
            return null;
        }
        if (isHandledByName(handler)) {
            rejections.announce(request, response, refusal.decision());
            return null;
        }
        try {
            rejections.reject(request, response, refusal.decision());
        } catch (IOException e) {
            // the client is gone: there is nobody left to answer
        }
        return new ModelAndView();
    }

    private static @Nullable RateLimitExceededException refusal(Throwable exception) {
        Throwable at = exception;
        for (int depth = 0; at != null && depth < 8; depth++) {
            if (at instanceof RateLimitExceededException refusal) {
                return refusal;
            }
            at = at.getCause();
        }
        return null;
    }

    private boolean isHandledByName(@Nullable Object handler) {
        Class<?> controller = handler instanceof HandlerMethod method ? method.getBeanType() : null;
        if (controller != null && isHandledBy(controller)) {
            return true;
        }
        for (ControllerAdviceBean advice : advices.get()) {
            Class<?> type = advice.getBeanType();
            if (type != null && advice.isApplicableToBeanType(controller) && isHandledBy(type)) {
                return true;
            }
        }
        return false;
    }

    private boolean isHandledBy(Class<?> type) {
        return handles.computeIfAbsent(ClassUtils.getUserClass(type), RateLimitExceptionResolver::handlesByName);
    }

    private static boolean handlesByName(Class<?> type) {
        return Stream.of(ReflectionUtils.getUniqueDeclaredMethods(type)).anyMatch(method -> {
            ExceptionHandler annotation = AnnotatedElementUtils.findMergedAnnotation(method, ExceptionHandler.class);
            return annotation != null
                    && (Arrays.asList(annotation.value()).contains(RateLimitExceededException.class)
                            || (annotation.value().length == 0
                                    && Arrays.asList(method.getParameterTypes())
                                            .contains(RateLimitExceededException.class)));
        });
    }
}
