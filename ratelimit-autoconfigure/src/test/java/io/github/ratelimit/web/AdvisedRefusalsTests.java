package io.github.ratelimit.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimited;
import io.github.ratelimit.fixture.WebServer;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Refusals by annotation that the application answers itself: the client still learns when to come back. */
@ParameterizedClass(name = "{0}")
@ValueSource(strings = {"tomcat", "jetty"})
class AdvisedRefusalsTests {

    private static WebServer server;

    AdvisedRefusalsTests(String container) {
        // that start() has been told
    }

    @BeforeParameterizedClassInvocation
    static void start(String container) {
        server = WebServer.start(
                WebServer.on(container) + WebServer.WITHOUT_SECURITY + "ratelimit.response.headers: draft-11",
                Application.class);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        server.close();
    }

    @Test
    void responseWhenAnAdviceSaysNothingAboutTimeThenRetryAfterAndQuotaAreThere() {
        HttpResponse<String> refused = refused("/silent");
        assertThat(refused.body()).isEqualTo("too fast");
        assertThat(refused.headers().allValues("Retry-After")).containsExactly("3600");
        assertThat(refused.headers().firstValue("RateLimit")).hasValue("\"Silent#page\";r=0;t=3600");
    }

    @Test
    void responseWhenAnAdviceSaysAnotherTimeThenThatIsTheOnlyOne() {
        HttpResponse<String> refused = refused("/speaking");
        assertThat(refused.body()).isEqualTo("later");
        assertThat(refused.headers().allValues("Retry-After")).containsExactly("7");
    }

    private static HttpResponse<String> refused(String path) {
        assertThat(server.get(path).statusCode()).isEqualTo(200);
        HttpResponse<String> refused = server.get(path);
        assertThat(refused.statusCode()).isEqualTo(429);
        return refused;
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Silent.class, SilentAdvice.class, Speaking.class, SpeakingAdvice.class})
    static class Application {}

    @RestController
    static class Silent {

        @GetMapping("/silent")
        @RateLimited(rate = "1/h")
        String page() {
            return "page";
        }
    }

    @RestControllerAdvice(assignableTypes = Silent.class)
    static class SilentAdvice {

        @ExceptionHandler(RateLimitExceededException.class)
        @ResponseStatus(HttpStatus.TOO_MANY_REQUESTS)
        String refused() {
            return "too fast";
        }
    }

    @RestController
    static class Speaking {

        @GetMapping("/speaking")
        @RateLimited(rate = "1/h")
        String page() {
            return "page";
        }
    }

    @RestControllerAdvice(assignableTypes = Speaking.class)
    static class SpeakingAdvice {

        @ExceptionHandler(RateLimitExceededException.class)
        ResponseEntity<String> refused() {
            return ResponseEntity.status(429).header("Retry-After", "7").body("later");
        }
    }
}
