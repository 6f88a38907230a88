package io.github.ratelimit.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.fixture.RawHttp;
import io.github.ratelimit.fixture.RawHttp.Answer;
import io.github.ratelimit.fixture.WebServer;
import io.github.ratelimit.store.local.Ticker;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;

/** No verb escapes the rule of its handler, and none is charged for two. The clock of the zones stands still. */
@ParameterizedClass(name = "{0}")
@ValueSource(strings = {"tomcat", "jetty"})
class VerbsTests {

    private static final String YAML = """
            spring.mvc.hiddenmethod.filter.enabled: true
            ratelimit:
              client-ip.trusted-proxies: ["127.0.0.1/32", "::1/128"]
              response.headers: legacy
              rules:
                - { path: /get, methods: [GET], rate: 3/m }
                - { path: /any, rate: 3/m }
                - { path: /thing, methods: [DELETE], rate: 3/m }
                - { path: /renamed, rate: 3/m }
                - { path: /cors, rate: 3/m }
            """;

    private static final AtomicInteger CLIENTS = new AtomicInteger();
    private static WebServer server;

    private final String client = "X-Forwarded-For: 203.0.113." + CLIENTS.incrementAndGet();
    private RawHttp http;

    VerbsTests(String container) {
        // that start() has been told
    }

    @BeforeParameterizedClassInvocation
    static void start(String container) {
        server = WebServer.start(WebServer.on(container) + WebServer.WITHOUT_SECURITY + YAML, Application.class);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        server.close();
    }

    @BeforeEach
    void open() {
        http = new RawHttp(server.port());
    }

    @AfterEach
    void close() {
        http.close();
    }

    /** RL-06. */
    @Test
    void headThenCountsAsGetOnce() {
        Endpoints.CALLS.set(0);
        List<Answer> answers = List.of(
                http.send("GET", "/get", client),
                http.send("HEAD", "/get", client),
                http.send("HEAD", "/get", client),
                http.send("HEAD", "/get", client),
                http.send("GET", "/get", client));

        assertThat(answers).extracting(Answer::status).containsExactly(200, 200, 200, 429, 429);
        assertThat(answers.subList(0, 3))
                .extracting(answer -> answer.header("X-RateLimit-Remaining"))
                .containsExactly("2", "1", "0");
        assertThat(Endpoints.CALLS).hasValue(3);
        assertThat(http.isOpen()).as("the 429 to HEAD has no body").isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"BREW", "get", "Post", "PROPFIND", "X"})
    void unknownVerbThenIsChargedByTheRuleForAll(String verb) {
        assertThat(statuses(4, () -> http.send(verb, "/any", client)).get(3)).isEqualTo(429);
    }

    /** A plain servlet is asked for any verb; in lower case it is another one than GET. */
    @Test
    void unknownVerbThenIsNotTheOneThatItLooksLike() {
        assertThat(statuses(4, () -> http.send("get", "/get", client))).doesNotContain(429);
        assertThat(http.send("GET", "/get", client).header("X-RateLimit-Remaining"))
                .isEqualTo("2");
    }

    @Test
    void methodOverrideInFrontThenIsChargedAsWhatItIs() {
        String form = "Content-Type: application/x-www-form-urlencoded";
        assertThat(statuses(4, () -> http.sendBody("POST", "/thing", "_method=delete", form, client)))
                .containsExactly(200, 200, 200, 429);
        assertThat(statuses(4, () -> http.sendBody("POST", "/thing", "a=b", form, client)))
                .containsOnly(200);
    }

    @Test
    void methodOverrideBehindTheFiltersThenIsChargedAsWhatItBecomes() {
        String override = "X-HTTP-Method-Override: DELETE";
        assertThat(statuses(4, () -> http.send("POST", "/thing", override, client)))
                .containsExactly(200, 200, 200, 429);
        assertThat(http.send("POST", "/thing", client).status()).isEqualTo(200);
        assertThat(http.send("DELETE", "/thing", client).status()).isEqualTo(429);
    }

    @Test
    void pathChangedBehindTheFiltersThenIsChargedAsWhatItBecomes() {
        assertThat(statuses(4, () -> http.send("GET", "/old-name", client))).containsExactly(200, 200, 200, 429);
        assertThat(http.send("GET", "/renamed", client).status()).isEqualTo(429);
    }

    @Test
    void requestWhenUnchangedInSubstanceThenIsChargedOnce() {
        assertThat(statuses(4, () -> http.send("GET", "/renamed/", client))).containsExactly(200, 200, 200, 429);
    }

    /** RL-22: preflights are free, other OPTIONS are not. */
    @Test
    void optionsWhenPreflightThenFreeElseCharged() {
        String[] preflight = {"Origin: http://app.example", "Access-Control-Request-Method: GET", client};
        assertThat(statuses(6, () -> http.send("OPTIONS", "/cors", preflight))).containsOnly(200);
        assertThat(statuses(4, () -> http.send("GET", "/cors", "Origin: http://app.example", client)))
                .containsExactly(200, 200, 200, 429);
        assertThat(statuses(2, () -> http.send("OPTIONS", "/cors", preflight)))
                .as("even then")
                .containsOnly(200);

        String other = "X-Forwarded-For: 198.51.100.1";
        assertThat(statuses(4, () -> http.send("OPTIONS", "/cors", other))).containsExactly(200, 200, 200, 429);
        assertThat(http.send("OPTIONS", "/cors", "Origin: http://app.example", other)
                        .status())
                .isEqualTo(429);
    }

    private static List<Integer> statuses(int times, Supplier<Answer> request) {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            statuses.add(request.get().status());
        }
        return statuses;
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {

        @Bean
        Ticker stoppedClock() {
            return () -> 0;
        }

        @Bean
        Endpoints endpoints() {
            return new Endpoints();
        }

        @Bean
        ServletRegistrationBean<AnyVerb> anyVerb() {
            return new ServletRegistrationBean<>(new AnyVerb(), "/any", "/get/any");
        }

        /** As an application registers a filter that it has not thought much about. */
        @Bean
        FilterRegistrationBean<Changes> changes() {
            return new FilterRegistrationBean<>(new Changes());
        }
    }

    /** Changes verbs and paths. */
    private static final class Changes extends OncePerRequestFilter {

        @Override
        protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                throws ServletException, IOException {
            String override = request.getHeader("X-HTTP-Method-Override");
            String path = request.getRequestURI();
            chain.doFilter(
                    new HttpServletRequestWrapper(request) {
                        @Override
                        public String getMethod() {
                            return override == null ? super.getMethod() : override;
                        }

                        @Override
                        public String getRequestURI() {
                            return path.equals("/old-name") ? "/renamed" : path.equals("/renamed/") ? "/renamed" : path;
                        }
                    },
                    response);
        }
    }

    private static final class AnyVerb extends HttpServlet {

        private static final long serialVersionUID = 1L;

        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) {
            response.setStatus(HttpServletResponse.SC_OK);
        }
    }

    @RestController
    static class Endpoints {

        static final AtomicInteger CALLS = new AtomicInteger();

        @GetMapping("/get")
        String get() {
            CALLS.incrementAndGet();
            return "got";
        }

        @DeleteMapping("/thing")
        String delete() {
            return "deleted";
        }

        @PostMapping("/thing")
        String post() {
            return "posted";
        }

        @GetMapping("/renamed")
        String renamed() {
            return "renamed";
        }

        @CrossOrigin("http://app.example")
        @GetMapping("/cors")
        String cors() {
            return "cors";
        }
    }
}
