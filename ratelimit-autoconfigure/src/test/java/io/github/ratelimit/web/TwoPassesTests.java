package io.github.ratelimit.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.RateLimitContext;
import io.github.ratelimit.RateLimited;
import io.github.ratelimit.fixture.WebServer;
import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.limiter.RuleStatistics;
import io.github.ratelimit.policy.PolicyHolder;
import io.github.ratelimit.policy.Rule;
import io.github.ratelimit.store.local.Ticker;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.Base64;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.cors.UrlBasedCorsConfigurationSource;

/** Zones that count by identity and those that do not, around Spring Security. */
@ParameterizedClass(name = "{0}")
@ValueSource(strings = {"tomcat", "jetty"})
class TwoPassesTests {

    private static final String YAML = """
            ratelimit:
              client-ip.trusted-proxies: ["127.0.0.1/32", "::1/128"]
              response: { headers: draft-11, expose-to: authenticated, cors-expose: true }
              zones:
                user: { key: principal, rate: 5/h }
                slowUser: { key: principal, algorithm: leaky-bucket, rate: 10/s, burst: 2 }
                wide: { key: client-ip, rate: 3600/h, burst: 10 }
                narrow: { key: client-ip, rate: 1/h }
              rules:
                - { path: /junk, zones: [user] }
                - { path: /forged, zones: [user] }
                - { path: /counted, zones: [user, wide] }
                - { path: /refunded, zones: [user, wide] }
                - { path: /slow, zones: [slowUser] }
                - { path: /wide, zones: [wide] }
                - { path: /narrow, zones: [narrow] }
                - { path: /open, zones: [wide] }
            """;

    private static WebServer server;

    TwoPassesTests(String container) {
        // that start() has been told
    }

    @BeforeParameterizedClassInvocation
    static void start(String container) {
        server = WebServer.start(WebServer.on(container) + YAML, Application.class);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        server.close();
    }

    @Test
    void requestsWhenCredentialsAreJunkThenAreCountedByAddress() {
        List<Integer> statuses = IntStream.range(0, 20)
                .mapToObj(
                        i -> server.get("/junk", "X-Forwarded-For", "203.0.113.1", "Authorization", basic("x", "" + i))
                                .statusCode())
                .toList();

        assertThat(statuses.subList(0, 5)).containsOnly(401);
        assertThat(statuses.subList(5, 20)).containsOnly(429);
        assertThat(server.get("/junk", "X-Forwarded-For", "203.0.113.2").statusCode())
                .isEqualTo(401);
        assertThat(counts("/junk")).containsExactly(6L, 15L);
    }

    @Test
    void requestsWhenSubjectIsForgedThenTheUserPaysNothing() {
        for (int i = 0; i < 50; i++) {
            server.get("/forged", "X-Forwarded-For", "203.0.113.3", "Authorization", basic("alice", "guess" + i));
        }
        HttpResponse<String> alice =
                server.get("/forged", "X-Forwarded-For", "203.0.113.4", "Authorization", basic("alice", "alice"));

        assertThat(alice.statusCode()).isEqualTo(200);
        assertThat(alice.headers().firstValue("RateLimit")).hasValue("\"user\";r=4;t=720");
    }

    @Test
    void ruleWhenZonesAreDecidedInBothPassesThenCountsEachRequestOnce() {
        for (int i = 0; i < 7; i++) {
            HttpResponse<String> response =
                    server.get("/counted", "X-Forwarded-For", "203.0.113.5", "Authorization", basic("bob", "bob"));
            assertThat(response.statusCode()).isEqualTo(i < 5 ? 200 : 429);
            assertThat(response.headers().firstValue("RateLimit").orElseThrow()).startsWith("\"user\";r=");
        }
        assertThat(counts("/counted")).containsExactly(5L, 2L);
    }

    @Test
    void requestWhenRefusedInTheSecondPassThenHasPaidNothingInTheFirst() {
        List<Integer> statuses = IntStream.range(0, 7)
                .mapToObj(i -> server.get(
                                "/refunded", "X-Forwarded-For", "203.0.113.12", "Authorization", basic("dora", "dora"))
                        .statusCode())
                .toList();
        assertThat(statuses).containsExactly(200, 200, 200, 200, 200, 429, 429);

        HttpResponse<String> next =
                server.get("/wide", "X-Forwarded-For", "203.0.113.12", "Authorization", basic("dora", "dora"));
        assertThat(next.headers().firstValue("RateLimit").orElseThrow()).startsWith("\"wide\";r=4;");
    }

    @Test
    void requestWhenDelayedBySecondPassThenIsStillTheUsers() {
        for (String outcome : List.of("PERMITTED", "DELAYED", "DELAYED")) {
            HttpResponse<String> response =
                    server.get("/slow", "X-Forwarded-For", "203.0.113.6", "Authorization", basic("carol", "carol"));
            assertThat(response.body()).isEqualTo("carol " + outcome);
        }
        assertThat(server.get("/slow", "Authorization", basic("carol", "carol")).statusCode())
                .isEqualTo(429);
    }

    @Test
    void headersWhenForTheAuthenticatedThenAnonymousClientsSeeNone() {
        HttpResponse<String> known =
                server.get("/wide", "X-Forwarded-For", "203.0.113.7", "Authorization", basic("bob", "bob"));
        HttpResponse<String> anonymous = server.get("/open", "X-Forwarded-For", "203.0.113.8");

        assertThat(WebServer.headers(known, "RateLimit-Policy", "RateLimit"))
                .containsEntry("RateLimit-Policy", "\"wide\";q=10;w=10")
                .containsEntry("RateLimit", "\"wide\";r=9;t=1");
        assertThat(anonymous.statusCode()).isEqualTo(200);
        assertThat(WebServer.headers(anonymous, "RateLimit-Policy", "RateLimit"))
                .isEmpty();
    }

    @Test
    void headersWhenHandlerIsStricterThenTellOfItsZone() {
        HttpResponse<String> response =
                server.get("/open/annotated", "X-Forwarded-For", "203.0.113.9", "Authorization", basic("bob", "bob"));

        assertThat(response.headers().allValues("RateLimit")).containsExactly("\"narrow\";r=0;t=3600");
        assertThat(response.headers().allValues("RateLimit-Policy")).containsExactly("\"narrow\";q=1;w=3600");
    }

    /** RL-49, with Spring Security's {@code cors()}. */
    @Test
    void corsHeadersThenAreThoseOfTheApplicationOnceAndWithOurs() {
        for (int status : new int[] {200, 429}) {
            HttpResponse<String> response = server.get(
                    "/narrow",
                    "X-Forwarded-For",
                    "203.0.113.10",
                    "Authorization",
                    basic("bob", "bob"),
                    "Origin",
                    "http://app.example");
            assertThat(response.statusCode()).isEqualTo(status);
            assertThat(response.headers().allValues("Access-Control-Allow-Origin"))
                    .containsExactly("http://app.example");
            assertThat(String.join(", ", response.headers().allValues("Access-Control-Expose-Headers"))
                            .split(", "))
                    .containsExactlyInAnyOrder("X-Total", "RateLimit", "RateLimit-Policy", "Retry-After");
        }
    }

    @Test
    void corsHeadersWhenOriginIsNotAllowedThenRefusalHasNone() {
        server.get("/narrow", "X-Forwarded-For", "203.0.113.11", "Authorization", basic("bob", "bob"));
        HttpResponse<String> refused =
                server.get("/narrow", "X-Forwarded-For", "203.0.113.11", "Origin", "http://evil.example");

        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.headers().allValues("Access-Control-Allow-Origin")).isEmpty();
        assertThat(refused.body()).contains("\"violated-policies\":[\"narrow\"]");
    }

    /** Requests that a rule let through and refused. */
    private static List<Long> counts(String path) {
        Rule rule = server.bean(PolicyHolder.class).get().rules().stream()
                .filter(each -> each.path().equals(path))
                .findFirst()
                .orElseThrow();
        RuleStatistics statistics = server.bean(RateLimiter.class).statistics(rule);
        return List.of(statistics.permitted(), statistics.rejected());
    }

    private static String basic(String user, String password) {
        return "Basic "
                + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.US_ASCII));
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {

        @Bean
        Ticker stoppedClock() {
            return () -> 0;
        }

        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.requestMatchers("/open/**")
                            .permitAll()
                            .anyRequest()
                            .authenticated())
                    .httpBasic(Customizer.withDefaults())
                    .cors(Customizer.withDefaults())
                    .build();
        }

        @Bean
        CorsConfigurationSource corsConfigurationSource() {
            CorsConfiguration cors = new CorsConfiguration();
            cors.setAllowedOrigins(List.of("http://app.example"));
            cors.addExposedHeader("X-Total");
            UrlBasedCorsConfigurationSource source = new UrlBasedCorsConfigurationSource();
            source.registerCorsConfiguration("/**", cors);
            return source;
        }

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(user("alice"), user("bob"), user("carol"), user("dora"));
        }

        private static UserDetails user(String name) {
            return User.withUsername(name)
                    .password("{noop}" + name)
                    .roles("USER")
                    .build();
        }

        @Bean
        Endpoints endpoints() {
            return new Endpoints();
        }
    }

    @RestController
    static class Endpoints {

        @GetMapping({"/junk", "/forged", "/counted", "/refunded", "/wide", "/narrow", "/open"})
        String any() {
            return "any";
        }

        @GetMapping("/slow")
        String slow(Principal user, RateLimitContext limits) {
            return user.getName() + " " + limits.decisions().get(0).outcome();
        }

        @GetMapping("/open/annotated")
        @RateLimited("narrow")
        String annotated() {
            return "annotated";
        }
    }
}
