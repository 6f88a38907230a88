package io.github.ratelimit.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.ratelimit.Decision;
import io.github.ratelimit.Decision.Outcome;
import io.github.ratelimit.RateLimitContext;
import io.github.ratelimit.RateLimited;
import io.github.ratelimit.fixture.WebServer;
import io.github.ratelimit.store.local.Ticker;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.annotation.WebFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.web.server.servlet.context.ServletComponentScan;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.UsernamePasswordAuthenticationFilter;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/**
 * What the application's own filters, Spring Security and handlers see of a request that had to wait. The clock of the
 * zones stands still, so that the first request with an id goes through and every later one waits.
 */
class DelayedFiltersTests {

    private static final String YAML = """
            ratelimit:
              zones:
                slow: { key: "header:X-Id", algorithm: leaky-bucket, rate: 10/s, burst: 10 }
              rules:
                - { path: /, zones: [slow] }
                - { path: /annotated, unlimited: true }
            """;

    private static WebServer server;

    @BeforeAll
    static void start() {
        server = WebServer.start(YAML, Application.class);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            /plain,     bearer REQUEST / patterns REQUEST / both REQUEST / scanned REQUEST / bean REQUEST / once REQUEST / servlet REQUEST / handler REQUEST
            /callable,  bearer REQUEST / both REQUEST / scanned REQUEST / bean REQUEST / once REQUEST / servlet REQUEST / handler REQUEST / both ASYNC
            /deferred,  bearer REQUEST / both REQUEST / scanned REQUEST / bean REQUEST / once REQUEST / servlet REQUEST / handler REQUEST / both ASYNC
            /sse,       bearer REQUEST / both REQUEST / scanned REQUEST / bean REQUEST / once REQUEST / servlet REQUEST / handler REQUEST / both ASYNC
            /stream,    bearer REQUEST / both REQUEST / scanned REQUEST / bean REQUEST / once REQUEST / servlet REQUEST / handler REQUEST / both ASYNC
            /forward,   bearer REQUEST / both REQUEST / scanned REQUEST / bean REQUEST / once REQUEST / servlet REQUEST / forwarded FORWARD / handler FORWARD
            /boom,      bearer REQUEST / both REQUEST / scanned REQUEST / bean REQUEST / once REQUEST / servlet REQUEST / handler REQUEST
            /forbidden, bearer REQUEST
            """)
    void filterWhenRequestHasWaitedThenSeesItOnceAndAsItIs(String path, String stations) {
        String id = path;
        List<String> expected = List.of(stations.split(" / "));
        HttpResponse<String> first = server.get(path, Trace.ID, id, "X-User", "ann");
        assertThat(Trace.take(id)).as("not delayed").containsExactlyElementsOf(expected);

        HttpResponse<String> delayed = server.get(path, Trace.ID, id, "X-User", "ann");

        assertThat(Trace.take(id)).as("delayed").containsExactlyElementsOf(expected);
        assertThat(delayed.statusCode()).isEqualTo(first.statusCode());
        if (first.statusCode() == 200) {
            assertThat(delayed.body()).isEqualTo(first.body().replace("PERMITTED", "DELAYED"));
        }
    }

    @Test
    void filterWhenRequestIsDelayedThenNoneBypassesSecurity() {
        for (int i = 0; i < 2; i++) {
            HttpResponse<String> response = server.get("/plain", Trace.ID, "anonymous");
            assertThat(response.statusCode()).isEqualTo(403);
            assertThat(Trace.take("anonymous")).containsExactly("bearer REQUEST");
        }
    }

    @Test
    void filterInFrontWhenRequestIsDelayedThenSeesAnAsynchronousRequest() {
        for (String expected : List.of("front REQUEST", "front REQUEST / front ASYNC")) {
            server.get("/plain", Trace.ID, "front", "X-User", "ann", "X-Front", "on");
            assertThat(String.join(" / ", Trace.take("front"))).startsWith(expected + " / bearer");
        }
    }

    @Test
    void filterWhenHandlerIsDelayedThenSeesTheRequestFromItsStartAgain() {
        String passed =
                "bearer REQUEST / both REQUEST / scanned REQUEST / bean REQUEST / once REQUEST / servlet REQUEST";
        for (String expected : List.of(passed, passed + " / " + passed)) {
            HttpResponse<String> response = server.get("/annotated", Trace.ID, "annotated", "X-User", "ann");
            assertThat(response.body()).startsWith("ann ");
            assertThat(String.join(" / ", Trace.take("annotated"))).isEqualTo(expected + " / handler REQUEST");
        }
    }

    @Test
    void metersWhenRequestIsDelayedThenCountItOnce() {
        for (int i = 0; i < 2; i++) {
            server.get("/target", Trace.ID, "meters", "X-User", "ann");
        }
        await().untilAsserted(() -> assertThat(server.bean(MeterRegistry.class)
                        .find("http.server.requests")
                        .tag("uri", "/target")
                        .timers())
                .singleElement()
                .satisfies(timer -> assertThat(timer.count()).isEqualTo(2))
                .satisfies(timer -> assertThat(timer.max(TimeUnit.MILLISECONDS)).isGreaterThanOrEqualTo(100)));
    }

    @Test
    void formLoginWhenDelayedThenLogsIn() {
        server.get("/plain", Trace.ID, "form");
        HttpResponse<String> login = server.send(
                "POST",
                "/login",
                "username=bob&password=secret",
                "Content-Type",
                "application/x-www-form-urlencoded",
                Trace.ID,
                "form");
        assertThat(login.headers().firstValue("Location"))
                .hasValueSatisfying(to -> assertThat(to).endsWith("/"));
        String session = login.headers().firstValue("Set-Cookie").orElseThrow().split(";", 2)[0];

        HttpResponse<String> home = server.get("/plain", Trace.ID, "form", "Cookie", session);

        assertThat(home.body()).isEqualTo("bob DELAYED");
    }

    @WebFilter(urlPatterns = "/*", asyncSupported = true)
    static class Scanned implements Filter {

        @Override
        public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
                throws IOException, ServletException {
            Trace.note(request, "scanned");
            chain.doFilter(request, response);
        }
    }

    /** Leaves asynchronous dispatches alone. */
    private static class Once extends OncePerRequestFilter {

        @Override
        protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                throws ServletException, IOException {
            Trace.note(request, "once");
            chain.doFilter(request, response);
        }
    }

    /** As many applications write it: the user is set, and not saved anywhere. */
    private static class Bearer extends OncePerRequestFilter {

        @Override
        protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                throws ServletException, IOException {
            Trace.note(request, "bearer");
            String user = request.getHeader("X-User");
            if (user != null) {
                SecurityContextHolder.getContext()
                        .setAuthentication(new UsernamePasswordAuthenticationToken(
                                user, null, AuthorityUtils.createAuthorityList("ROLE_USER")));
            }
            chain.doFilter(request, response);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ServletComponentScan(basePackageClasses = DelayedFiltersTests.class)
    static class Application {

        @Bean
        Ticker stoppedClock() {
            return () -> 0;
        }

        @Bean
        FilterRegistrationBean<Filter> front() {
            Filter station = Trace.filter("front");
            return registration(-200, (request, response, chain) -> {
                if (((HttpServletRequest) request).getHeader("X-Front") == null) {
                    chain.doFilter(request, response);
                } else {
                    station.doFilter(request, response, chain);
                }
            });
        }

        @Bean
        FilterRegistrationBean<Filter> patterns() {
            FilterRegistrationBean<Filter> registration = registration(1, Trace.filter("patterns"));
            registration.addUrlPatterns("/plain");
            registration.setDispatcherTypes(DispatcherType.REQUEST);
            return registration;
        }

        @Bean
        FilterRegistrationBean<Filter> servlet() {
            FilterRegistrationBean<Filter> registration = registration(2, Trace.filter("servlet"));
            registration.addServletNames("dispatcherServlet");
            return registration;
        }

        @Bean
        FilterRegistrationBean<Filter> both() {
            FilterRegistrationBean<Filter> registration =
                    registration(Ordered.LOWEST_PRECEDENCE - 1, Trace.filter("both"));
            registration.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.ASYNC);
            return registration;
        }

        @Bean
        FilterRegistrationBean<Filter> forwarded() {
            FilterRegistrationBean<Filter> registration = registration(3, Trace.filter("forwarded"));
            registration.setDispatcherTypes(DispatcherType.FORWARD);
            return registration;
        }

        @Bean
        Filter bean() {
            return Trace.filter("bean");
        }

        @Bean
        Filter once() {
            return new Once();
        }

        private static FilterRegistrationBean<Filter> registration(int order, Filter filter) {
            FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(filter);
            registration.setOrder(order);
            return registration;
        }

        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.dispatcherTypeMatchers(
                                    DispatcherType.ASYNC, DispatcherType.FORWARD, DispatcherType.ERROR)
                            .permitAll()
                            .requestMatchers("/forbidden")
                            .denyAll()
                            .anyRequest()
                            .authenticated())
                    .addFilterBefore(new Bearer(), UsernamePasswordAuthenticationFilter.class)
                    .formLogin(form -> form.failureHandler((request, response, e) -> response.setStatus(401)))
                    .exceptionHandling(handling ->
                            handling.authenticationEntryPoint((request, response, e) -> response.setStatus(403)))
                    .csrf(csrf -> csrf.disable())
                    .cors(Customizer.withDefaults())
                    .build();
        }

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(User.withUsername("bob")
                    .password("{noop}secret")
                    .roles("USER")
                    .build());
        }

        @Bean
        Endpoints endpoints() {
            return new Endpoints();
        }
    }

    @Controller
    static class Endpoints {

        @GetMapping("/plain")
        @ResponseBody
        String plain(HttpServletRequest request, RateLimitContext limits) {
            return answer(request, limits);
        }

        @GetMapping("/annotated")
        @RateLimited("slow")
        @ResponseBody
        String annotated(HttpServletRequest request, RateLimitContext limits) {
            return answer(request, limits);
        }

        @GetMapping("/callable")
        @ResponseBody
        Callable<String> callable(HttpServletRequest request, RateLimitContext limits) {
            String answer = answer(request, limits);
            return () -> answer;
        }

        @GetMapping("/deferred")
        @ResponseBody
        DeferredResult<String> deferred(HttpServletRequest request, RateLimitContext limits) {
            DeferredResult<String> result = new DeferredResult<>();
            result.setResult(answer(request, limits));
            return result;
        }

        @GetMapping("/sse")
        SseEmitter sse(HttpServletRequest request, RateLimitContext limits) throws IOException {
            SseEmitter emitter = new SseEmitter();
            emitter.send(answer(request, limits));
            emitter.complete();
            return emitter;
        }

        @GetMapping("/stream")
        StreamingResponseBody stream(HttpServletRequest request, RateLimitContext limits) {
            byte[] answer = answer(request, limits).getBytes(StandardCharsets.UTF_8);
            return out -> out.write(answer);
        }

        @GetMapping("/forward")
        String forward() {
            return "forward:/target";
        }

        @GetMapping("/target")
        @ResponseBody
        String target(HttpServletRequest request, RateLimitContext limits) {
            return answer(request, limits);
        }

        @GetMapping("/boom")
        @ResponseBody
        String boom(HttpServletRequest request) {
            Trace.note(request, "handler");
            throw new IllegalStateException("expected by the test");
        }

        private static String answer(HttpServletRequest request, RateLimitContext limits) {
            Trace.note(request, "handler");
            Outcome outcome = limits.decisions().stream()
                    .map(Decision::outcome)
                    .reduce((first, second) -> second)
                    .orElseThrow();
            return request.getRemoteUser() + " " + outcome;
        }
    }
}
