package io.github.ratelimit.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.ratelimit.Decision.Outcome;
import io.github.ratelimit.fixture.WebServer;
import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.limiter.Tier;
import io.github.ratelimit.policy.PolicyHolder;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.store.local.Ticker;
import jakarta.servlet.DispatcherType;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.oauth2.core.DefaultOAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.server.resource.introspection.BadOpaqueTokenException;
import org.springframework.security.oauth2.server.resource.introspection.OpaqueTokenIntrospector;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.access.intercept.AuthorizationFilter;
import org.springframework.security.web.authentication.HttpStatusEntryPoint;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Who is counted around Spring Security's own filters: form login, bearer tokens, method security. Only an identity that
 * has been proved is one. The clock of the zones stands still.
 */
@ParameterizedClass(name = "{0}")
@ValueSource(strings = {"tomcat", "jetty"})
class IdentityTests {

    private static final String YAML = """
            ratelimit:
              client-ip.trusted-proxies: ["127.0.0.1/32", "::1/128"]
              response.headers: legacy
              zones:
                login: { key: principal, rate: 5/h }
                bearer: { key: principal, rate: 5/h }
                method: { key: principal, rate: 5/h }
                open: { key: principal, rate: 5/h }
                api-key: { key: "header:X-API-Key", rate: 5/h }
                twice: { key: principal, rate: 4/h }
                slots: { key: principal, algorithm: concurrency, max-concurrent: 2 }
              rules:
                - { path: /login, methods: [POST], zones: [login] }
                - { path: /mine, zones: [login] }
                - { path: /api, zones: [bearer] }
                - { path: /admin, zones: [method] }
                - { path: /open, zones: [open] }
                - { path: /k, zones: [api-key] }
                - { path: /boom, rate: 4/h }
                - { path: /error, rate: 1/h }
                - { path: /twice, zones: [twice] }
                - { path: /slots, zones: [slots] }
            """;

    private static final int TOGETHER = 10;

    private static WebServer server;

    IdentityTests(String container) {
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

    /** RL-15 (a). */
    @Test
    void bearerWhenJunkThenCountedByAddress() {
        assertThat(statuses(20, () -> get("/api", 1, "Authorization", "Bearer junk" + System.nanoTime())))
                .startsWith(401, 401, 401, 401, 401, 429)
                .filteredOn(status -> status == 401)
                .hasSize(5);
        assertThat(get("/api", 2, "Authorization", "Bearer junk").statusCode()).isEqualTo(401);
        assertThat(get("/api", 1).statusCode()).as("without any").isEqualTo(429);
    }

    /** RL-11 and RL-15 (a): whoever looks at the same moment sees the same permit, and owes for what he takes beyond it. */
    @Test
    void bearerWhenJunkComesAtOnceThenTheAddressOwesForAllOfIt() {
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = 0; i < TOGETHER; i++) {
            answers.add(server.getLater("/api", from(70, "Authorization", "Bearer all-together")));
        }
        assertThat(answers)
                .allSatisfy(answer -> assertThat(answer.join().statusCode()).isEqualTo(401));

        HttpResponse<String> next = get("/api", 70, "Authorization", "Bearer junk");
        assertThat(next.statusCode()).isEqualTo(429);
        // ten of five are drawn, and four may be: six have to come back, one each twelve minutes
        assertThat(next.headers().firstValue("Retry-After")).hasValue("4320");
    }

    @Test
    void bearerWhenJunkMeetsAConcurrencyLimitThenNoPlaceStaysTaken() {
        assertThat(statuses(5, () -> get("/slots", 71, "Authorization", "Bearer junk")))
                .containsOnly(401);
        assertThat(get("/slots", 71, "Authorization", "Bearer token-of-carol").statusCode())
                .isEqualTo(200);
    }

    /** RL-15 (b). */
    @Test
    void bearerWhenForgedThenTheUserPaysNothing() {
        statuses(50, () -> get("/api", 3, "Authorization", "Bearer alice-but-forged"));
        HttpResponse<String> alice = get("/api", 4, "Authorization", "Bearer token-of-alice");

        assertThat(alice.statusCode()).isEqualTo(200);
        assertThat(alice.headers().firstValue("X-RateLimit-Remaining")).hasValue("4");
    }

    @Test
    void bearerWhenProvedThenOneBudgetFromEveryAddress() {
        for (int i = 0; i < 5; i++) {
            assertThat(get("/api", 10 + i, "Authorization", "Bearer token-of-bob")
                            .statusCode())
                    .isEqualTo(200);
        }
        assertThat(get("/api", 20, "Authorization", "Bearer token-of-bob").statusCode())
                .isEqualTo(429);
        assertThat(get("/api", 20, "Authorization", "Bearer junk").statusCode())
                .as("what a user has spent is not his address's")
                .isEqualTo(401);
    }

    @Test
    void formLoginWhenGuessedThenCountedByAddressAndTheUserStillLogsIn() {
        assertThat(statuses(7, () -> counted(() -> login("alice", "guess", 30))))
                .containsExactly(302, 302, 302, 302, 302, 429, 429);

        HttpResponse<String> in = login("alice", "alice", 31);
        assertThat(in.headers().firstValue("Location").orElseThrow()).doesNotContain("error");
        String session = in.headers().firstValue("Set-Cookie").orElseThrow().split(";", 2)[0];
        HttpResponse<String> mine = get("/mine", 32, "Cookie", session);
        assertThat(mine.statusCode()).isEqualTo(200);
        assertThat(mine.headers().firstValue("X-RateLimit-Remaining"))
                .as("the guesses were not hers")
                .hasValue("4");
    }

    @Test
    void methodSecurityWhenItRefusesThenTheUserHasPaid() {
        assertThat(statuses(7, () -> get("/admin", 40, "Authorization", "Bearer token-of-carol")))
                .containsExactly(403, 403, 403, 403, 403, 429, 429);
        assertThat(get("/admin", 40, "Authorization", "Bearer token-of-dave").statusCode())
                .isEqualTo(403);
    }

    @Test
    void methodSecurityWhenNobodyIsLoggedInThenCountedByAddress() {
        assertThat(statuses(7, () -> get("/open/secret", 41))).containsExactly(401, 401, 401, 401, 401, 429, 429);
        assertThat(get("/open/secret", 42).statusCode()).isEqualTo(401);
    }

    /** RL-15 (c): strangers without a key do not share one budget. */
    @Test
    void keyWhenMissingThenStrangersDoNotShare() {
        for (int i = 0; i < 10; i++) {
            assertThat(get("/k", 100 + i).statusCode()).isEqualTo(200);
        }
    }

    /** RL-15 (d): a missing key is no licence. */
    @Test
    void keyWhenMissingOrEmptyThenCountedByAddress() {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            statuses.add(
                    (i % 3 == 0 ? get("/k", 50) : get("/k", 50, "X-API-Key", i % 3 == 1 ? "" : " \t ")).statusCode());
        }
        assertThat(statuses.subList(0, 5)).containsOnly(200);
        assertThat(statuses.subList(5, 20)).containsOnly(429);
    }

    /** RL-19. */
    @Test
    void requestWhenItFailsThenIsChargedOnceAndRefusedWithOurOwnBody() {
        for (String remaining : List.of("3", "2", "1", "0")) {
            HttpResponse<String> failed = get("/boom", 60);
            assertThat(failed.statusCode()).isEqualTo(500);
            assertThat(failed.headers().allValues("X-RateLimit-Remaining")).containsExactly(remaining);
        }
        HttpResponse<String> refused = get("/boom", 60);
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.body())
                .startsWith("{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\"");
        assertThat(decisions("/error")).isZero();
    }

    /** RL-20: the filters stand in the security chain, too. */
    @Test
    void filtersWhenInTheSecurityChainTooThenChargeOnceAndTheUser() {
        assertThat(statuses(5, () -> get("/twice", 70, "Authorization", "Bearer token-of-erin")))
                .containsExactly(200, 200, 200, 200, 429);
        assertThat(get("/twice", 70, "Authorization", "Bearer token-of-frank").statusCode())
                .isEqualTo(200);
        assertThat(decisions("twice")).isEqualTo(6);
    }

    private static List<Integer> statuses(int times, Supplier<HttpResponse<String>> request) {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            statuses.add(request.get().statusCode());
        }
        return statuses;
    }

    private static HttpResponse<String> get(String path, int client, String... headers) {
        return server.get(path, from(client, headers));
    }

    /** Jetty sends a redirect before the filters are left, and so before it is charged. */
    private static HttpResponse<String> counted(Supplier<HttpResponse<String>> request) {
        long before = decisions("login");
        HttpResponse<String> answer = request.get();
        await().until(() -> decisions("login") > before);
        return answer;
    }

    private static HttpResponse<String> login(String user, String password, int client) {
        return server.send(
                "POST",
                "/login",
                "username=" + user + "&password=" + password,
                from(client, "Content-Type", "application/x-www-form-urlencoded"));
    }

    private static String[] from(int client, String... headers) {
        String[] all = Arrays.copyOf(headers, headers.length + 2);
        all[headers.length] = "X-Forwarded-For";
        all[headers.length + 1] = "203.0.113." + client;
        return all;
    }

    private static long decisions(String name) {
        Zone zone = Objects.requireNonNull(
                server.bean(PolicyHolder.class).get().zones().get(name));
        return Arrays.stream(Outcome.values())
                .mapToLong(outcome ->
                        server.bean(RateLimiter.class).statistics(zone).count(outcome, Tier.LOCAL))
                .sum();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableMethodSecurity
    static class Application {

        @Bean
        Ticker stoppedClock() {
            return () -> 0;
        }

        @Bean
        SecurityFilterChain security(
                HttpSecurity http,
                FilterRegistrationBean<RateLimitFilter> first,
                FilterRegistrationBean<AuthenticatedRateLimitFilter> second)
                throws Exception {
            return http.authorizeHttpRequests(requests -> requests.dispatcherTypeMatchers(DispatcherType.ERROR)
                            .permitAll()
                            .requestMatchers("/boom", "/open/**", "/k", "/login")
                            .permitAll()
                            .anyRequest()
                            .authenticated())
                    .csrf(AbstractHttpConfigurer::disable)
                    .formLogin(Customizer.withDefaults())
                    .oauth2ResourceServer(server -> server.opaqueToken(Customizer.withDefaults()))
                    .exceptionHandling(failures ->
                            failures.authenticationEntryPoint(new HttpStatusEntryPoint(HttpStatus.UNAUTHORIZED)))
                    .addFilterAfter(Objects.requireNonNull(first.getFilter()), AuthorizationFilter.class)
                    .addFilterAfter(Objects.requireNonNull(second.getFilter()), AuthorizationFilter.class)
                    .build();
        }

        @Bean
        OpaqueTokenIntrospector tokens() {
            CyclicBarrier together = new CyclicBarrier(TOGETHER);
            return token -> {
                if (token.equals("all-together")) {
                    meet(together);
                }
                if (!token.startsWith("token-of-")) {
                    throw new BadOpaqueTokenException("no token");
                }
                return new DefaultOAuth2AuthenticatedPrincipal(
                        token.substring(9),
                        Map.of("sub", token.substring(9)),
                        AuthorityUtils.createAuthorityList("USER"));
            };
        }

        private static void meet(CyclicBarrier barrier) {
            try {
                barrier.await(20, TimeUnit.SECONDS);
            } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
                throw new IllegalStateException(e);
            }
        }

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(User.withUsername("alice")
                    .password("{noop}alice")
                    .roles("USER")
                    .build());
        }

        @Bean
        Endpoints endpoints() {
            return new Endpoints();
        }
    }

    @RestController
    static class Endpoints {

        @GetMapping({"/api", "/mine", "/k", "/twice", "/slots"})
        public String any() {
            return "any";
        }

        @GetMapping("/boom")
        public String boom() {
            throw new IllegalStateException("boom");
        }

        @PreAuthorize("hasRole('ADMIN')")
        @GetMapping("/admin")
        public String admin() {
            return "admin";
        }

        @PreAuthorize("isAuthenticated()")
        @GetMapping("/open/secret")
        public String secret() {
            return "secret";
        }
    }
}
