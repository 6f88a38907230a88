package io.github.ratelimit.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.ratelimit.RateLimited;
import io.github.ratelimit.fixture.WebServer;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import org.junit.jupiter.api.Test;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Annotations whose texts the application's properties fill in. */
class AnnotationPlaceholdersTests {

    private static final String YAML = WebServer.WITHOUT_SECURITY + """
            limits: { search: 3/h, who: "#user", price: "2", zone: shop }
            ratelimit.zones.shop.rate: 1/h
            """;

    @Test
    void handlerWhenPlaceholdersAreSetThenIsLimitedByWhatTheySay() {
        try (WebServer server = WebServer.start(YAML, Endpoints.class)) {
            assertThat(statuses(server, "/default", "/default")).containsExactly(200, 429);
            assertThat(statuses(server, "/zone", "/zone")).containsExactly(200, 429);
            assertThat(statuses(server, "/search?user=a", "/search?user=b", "/search?user=a"))
                    .containsExactly(200, 200, 429);
        }
    }

    @Test
    void handlerWhenAPlaceholderHasNoPropertyThenTheStartFailsAndSaysWhatToWrite() {
        assertThatThrownBy(() -> WebServer.start(YAML, Unset.class).close())
                .hasStackTraceContaining("Unset#rate @RateLimited")
                .hasStackTraceContaining("has '${limits.unset}', a placeholder for which there is no property")
                .hasStackTraceContaining("has 'header:${limits.header}', a placeholder");
    }

    private static int[] statuses(WebServer server, String... paths) {
        int[] statuses = new int[paths.length];
        for (int i = 0; i < paths.length; i++) {
            statuses[i] = server.get(paths[i]).statusCode();
        }
        return statuses;
    }

    @RateLimited(rate = "${limits.search}", key = "${limits.who}", cost = "${limits.price:1}")
    @Retention(RetentionPolicy.RUNTIME)
    @interface Searching {}

    @RestController
    static class Endpoints {

        @RateLimited(rate = "${limits.other:1/h}")
        @GetMapping("/default")
        String byDefault() {
            return "";
        }

        @RateLimited("${limits.zone}")
        @GetMapping("/zone")
        String zone() {
            return "";
        }

        @Searching
        @GetMapping("/search")
        String search(@RequestParam String user) {
            return user;
        }
    }

    @RestController
    static class Unset {

        @RateLimited(rate = "${limits.unset}", key = "header:${limits.header}")
        @GetMapping("/rate")
        String rate() {
            return "";
        }
    }
}
