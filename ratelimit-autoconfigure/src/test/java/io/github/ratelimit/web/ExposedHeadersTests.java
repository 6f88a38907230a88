package io.github.ratelimit.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.RateLimited;
import io.github.ratelimit.fixture.WebServer;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.UrlBasedCorsConfigurationSource;
import org.springframework.web.filter.CorsFilter;

/** What scripts of other origins may read, beside what the application's own CORS set-up exposes later on. */
@ParameterizedClass(name = "{0}")
@ValueSource(strings = {"tomcat", "jetty"})
class ExposedHeadersTests {

    private static final String[] ORIGIN = {"Origin", "http://app.example"};

    private static WebServer server;

    ExposedHeadersTests(String container) {
        // that start() has been told
    }

    @BeforeParameterizedClassInvocation
    static void start(String container) {
        server = WebServer.start(WebServer.on(container) + WebServer.WITHOUT_SECURITY + """
                ratelimit:
                  response: { headers: draft-11, cors-expose: true }
                  rules:
                    - { path: /filter, rate: 1000/h }
                    - { path: /mvc, rate: 1000/h }
                    - { path: /plain, rate: 1000/h }
                    - { path: /spent, rate: 1/h }
                """, Application.class);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/filter", "/mvc", "/filter/annotated", "/annotated"})
    void responseWhenTheApplicationExposesOthersThenBothAreExposedOnce(String path) {
        assertThat(exposed(server.get(path, ORIGIN)))
                .containsExactlyInAnyOrder("X-Total", "RateLimit", "RateLimit-Policy", "Retry-After");
    }

    @Test
    void responseWhenTheApplicationExposesNothingThenOnlyOursAre() {
        assertThat(exposed(server.get("/plain", ORIGIN)))
                .containsExactlyInAnyOrder("RateLimit", "RateLimit-Policy", "Retry-After");
        assertThat(exposed(server.get("/plain"))).isEmpty();
        assertThat(exposed(server.get("/filter/unlimited", ORIGIN))).contains("X-Total");
    }

    @Test
    void responseWhenRefusedThenBothAreExposedOnce() {
        server.get("/spent", ORIGIN);
        HttpResponse<String> refused = server.get("/spent", ORIGIN);
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(exposed(refused))
                .containsExactlyInAnyOrder("X-Total", "RateLimit", "RateLimit-Policy", "Retry-After");
    }

    private static List<String> exposed(HttpResponse<String> response) {
        return response.headers().allValues("Access-Control-Expose-Headers").stream()
                .flatMap(line -> Arrays.stream(line.split(",")))
                .map(String::strip)
                .toList();
    }

    @Configuration(proxyBeanMethods = false)
    @RestController
    static class Application {

        @Bean
        static CorsFilter corsFilter() {
            CorsConfiguration cors = new CorsConfiguration();
            cors.addAllowedOrigin("http://app.example");
            cors.addExposedHeader("X-Total");
            UrlBasedCorsConfigurationSource source = new UrlBasedCorsConfigurationSource();
            source.registerCorsConfiguration("/filter/**", cors);
            source.registerCorsConfiguration("/spent", cors);
            return new CorsFilter(source);
        }

        @GetMapping({"/filter", "/filter/unlimited", "/plain", "/spent"})
        String page() {
            return "page";
        }

        @GetMapping("/filter/annotated")
        @RateLimited(rate = "1000/h")
        String annotatedBehindTheFilter() {
            return "page";
        }

        @CrossOrigin(origins = "http://app.example", exposedHeaders = "X-Total")
        @GetMapping("/mvc")
        String mvc() {
            return "page";
        }

        @CrossOrigin(origins = "http://app.example", exposedHeaders = "X-Total")
        @GetMapping("/annotated")
        @RateLimited(rate = "1000/h")
        String annotated() {
            return "page";
        }
    }
}
