package io.github.ratelimit.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.Decision;
import io.github.ratelimit.Decision.Outcome;
import io.github.ratelimit.Decision.Reason;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.key.ClientAddress;
import io.github.ratelimit.web.QuotaHeaders.Audience;
import io.github.ratelimit.web.QuotaHeaders.Format;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.support.StaticApplicationContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.HandlerMethod;

class RateLimitExceptionResolverTests {

    private final RateLimitExceededException refusal = new RateLimitExceededException(new Decision(
            Outcome.REJECTED,
            "zone",
            Reason.LIMIT,
            1,
            0,
            Duration.ofSeconds(1),
            Duration.ofSeconds(1),
            Duration.ofSeconds(1),
            Duration.ZERO));

    @Test
    void resolveWhenNobodyHandlesItByNameThenAnswers() throws Exception {
        for (Exception exception :
                new Exception[] {refusal, new IllegalStateException(new RuntimeException(refusal))}) {
            assertThat(status(exception, Plain.class, CatchAll.class, Elsewhere.class))
                    .isEqualTo(429);
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {ByType.class, ByParameter.class, ForPlain.class})
    void resolveWhenAnAdviceHandlesItByNameThenStepsBack(Class<?> advice) throws Exception {
        assertThat(status(refusal, Plain.class, CatchAll.class, advice)).isNull();
    }

    @Test
    void resolveWhenTheControllerHandlesItByNameThenStepsBack() throws Exception {
        assertThat(status(refusal, Handling.class, CatchAll.class)).isNull();
    }

    @Test
    void resolveWhenItIsAnotherExceptionThenStepsBack() throws Exception {
        assertThat(status(new IllegalStateException(), Plain.class)).isNull();
    }

    /** The status that was written, {@code null} when the resolver stepped back. */
    private static @Nullable Integer status(Exception exception, Class<?> controller, Class<?>... advices)
            throws Exception {
        StaticApplicationContext context = new StaticApplicationContext();
        for (Class<?> advice : advices) {
            context.registerSingleton(advice.getName(), advice);
        }
        QuotaHeaders headers = new QuotaHeaders(
                Format.NONE, Audience.EVERYONE, false, new ClientAddress(List.of(), "X-Forwarded-For", 32, 64));
        Rejections rejections =
                new Rejections(429, new ProblemRejectionHandler(), headers, new CorsHeaders(request -> null));
        List<ControllerAdviceBean> found = ControllerAdviceBean.findAnnotatedBeans(context);
        MockHttpServletResponse response = new MockHttpServletResponse();
        HandlerMethod handler = new HandlerMethod(
                controller.getDeclaredConstructor().newInstance(), controller.getDeclaredMethod("handle"));

        boolean resolved = new RateLimitExceptionResolver(rejections, () -> found)
                        .resolveException(new MockHttpServletRequest("GET", "/"), response, handler, exception)
                != null;

        return resolved ? response.getStatus() : null;
    }

    @Controller
    static class Plain {

        void handle() {}
    }

    @Controller
    static class Handling {

        void handle() {}

        @ExceptionHandler(RateLimitExceededException.class)
        void refused() {}
    }

    @ControllerAdvice
    static class CatchAll {

        @ExceptionHandler(Exception.class)
        void failed() {}
    }

    @ControllerAdvice
    static class ByType {

        @ExceptionHandler({IllegalStateException.class, RateLimitExceededException.class})
        void refused() {}
    }

    @ControllerAdvice
    static class ByParameter {

        @ExceptionHandler
        void refused(RateLimitExceededException e) {}
    }

    @ControllerAdvice(assignableTypes = Plain.class)
    static class ForPlain extends ByType {}

    /** Handles it by name, for other controllers. */
    @ControllerAdvice(assignableTypes = Handling.class)
    static class Elsewhere extends ByType {}
}
