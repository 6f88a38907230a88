package io.github.ratelimit.web;

import io.github.ratelimit.fixture.WebServer;
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
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.web.server.servlet.context.ServletComponentScan;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.UsernamePasswordAuthenticationFilter;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;

/** What the application's own filters see of a request that had to wait. */
class DelayedFiltersTests {

    static WebServer server;

    @BeforeAll
    static void start() {
        server = WebServer.start("""
                ratelimit:
                  zones:
                    slow: { key: "header:X-Id", algorithm: leaky-bucket, rate: 5/s, burst: 10 }
                  rules:
                    - { path: /, zones: [slow] }
                """, Application.class);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void filtersWhenRequestWasDelayedThenEachSeesItOnceAndInOrder() {
        for (String path : List.of("/plain", "/async")) {
            String id = path + "-1";
            server.get(path, "X-Id", id, "X-User", "ann");
            List<String> undelayed = Trace.of(id);
            long start = System.nanoTime();
            String body = server.get(path, "X-Id", id, "X-User", "ann").body();
            System.out.println((System.nanoTime() - start) / 1000000 + " ms " + body);
            System.out.println(undelayed);
            System.out.println(Trace.of(id));
        }
    }

    static final class Trace {
        static final Map<String, List<String>> BY_ID = new ConcurrentHashMap<>();

        static void note(ServletRequest request, String name) {
            String id = ((HttpServletRequest) request).getHeader("X-Id");
            BY_ID.computeIfAbsent(id == null ? "" : id, key -> new CopyOnWriteArrayList<>())
                    .add(name + " " + request.getDispatcherType());
        }

        static List<String> of(String id) {
            return BY_ID.remove(id);
        }
    }

    record Plain(String name) implements Filter {
        @Override
        public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
                throws IOException, ServletException {
            Trace.note(request, name);
            chain.doFilter(request, response);
        }
    }

    @WebFilter("/*")
    static class Scanned implements Filter {
        @Override
        public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
                throws IOException, ServletException {
            Trace.note(request, "scanned");
            chain.doFilter(request, response);
        }
    }

    static class Once extends OncePerRequestFilter {
        @Override
        protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                throws ServletException, IOException {
            Trace.note(request, "once");
            chain.doFilter(request, response);
        }
    }

    static class Bearer extends OncePerRequestFilter {
        @Override
        protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                throws ServletException, IOException {
            Trace.note(request, "bearer");
            String user = request.getHeader("X-User");
            if (user != null) {
                SecurityContextHolder.getContext()
                        .setAuthentication(new UsernamePasswordAuthenticationToken(
                                user, null, AuthorityUtils.createAuthorityList("USER")));
            }
            chain.doFilter(request, response);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ServletComponentScan(basePackageClasses = DelayedFiltersTests.class)
    static class Application {

        @Bean
        @Order(-200)
        FilterRegistrationBean<Filter> early() {
            FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(new Plain("early"));
            registration.setOrder(-200);
            return registration;
        }

        @Bean
        Filter plainFilter() {
            return new Plain("plain");
        }

        @Bean
        Filter onceFilter() {
            return new Once();
        }

        @Bean
        FilterRegistrationBean<Filter> registered() {
            FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(new Plain("registered"));
            registration.setOrder(5);
            registration.addUrlPatterns("/plain");
            registration.setDispatcherTypes(DispatcherType.REQUEST);
            return registration;
        }

        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .addFilterBefore(new Bearer(), UsernamePasswordAuthenticationFilter.class)
                    .build();
        }

        @Bean
        Endpoints endpoints() {
            return new Endpoints();
        }
    }

    @RestController
    static class Endpoints {
        @GetMapping("/plain")
        String plain(HttpServletRequest request) {
            Trace.note(request, "handler");
            return request.getRemoteUser();
        }

        @GetMapping("/async")
        Callable<String> async(HttpServletRequest request) {
            Trace.note(request, "handler");
            String user = request.getRemoteUser();
            return () -> user;
        }
    }
}
