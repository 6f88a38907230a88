package io.github.ratelimit.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.Decision;
import io.github.ratelimit.RateLimitContext;
import io.github.ratelimit.fixture.RawHttp;
import io.github.ratelimit.fixture.RawHttp.Answer;
import io.github.ratelimit.fixture.WebServer;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.ServerHttpRequest;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.util.AntPathMatcher;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.UrlHandlerFilter;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.PathMatchConfigurer;
import org.springframework.web.servlet.config.annotation.ViewControllerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.servlet.mvc.ParameterizableViewController;
import org.springframework.web.socket.WebSocketHandler;
import org.springframework.web.socket.config.annotation.EnableWebSocket;
import org.springframework.web.socket.config.annotation.WebSocketConfigurer;
import org.springframework.web.socket.handler.TextWebSocketHandler;
import org.springframework.web.socket.server.HandshakeInterceptor;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * No spelling of a path reaches a handler without being charged by the rule of that handler: each is sent as it is over a
 * socket, the application says which handler it has reached, and the limiter what it has charged (RL-01, RL-04).
 */
class HostilePathTests {

    /** What an application serves: each path has a rule, and its handler says so. */
    private static final List<String> PATHS = List.of(
            "/api/login",
            "/api/other",
            "/files/a/b",
            "/fn/echo",
            "/legacy/task",
            "/exact",
            "/images/cat.txt",
            "/images/bird.txt",
            "/pages/kiss.txt",
            "/ws/echo",
            "/view");

    private static final List<String> RULES = List.of(
            "/api/login",
            "/api",
            "/files",
            "/fn/echo",
            "/legacy/task",
            "/legacy",
            "/exact",
            "/images",
            "/pages/kiss.txt",
            "/ws/echo",
            "/view");

    /** How many are drawn of all spellings, for each application. */
    private static final int SPELLINGS = 800;

    /** How many of these at least have to reach a handler, lest the test mean nothing. */
    private static final int FEWEST_SPELLINGS = 70;

    @TempDir
    private static Path directory;

    static Stream<Arguments> applications() {
        return Stream.of(
                application("path patterns", "", "", Application.class),
                application("path patterns, any case", "", "", AnyCase.class, Application.class),
                application("trailing slashes removed", "", "", NoTrailingSlash.class, Application.class),
                application("Ant", ANT, "", Application.class),
                application("Ant, any case", ANT, "", AntAnyCase.class, Application.class),
                application("context path", CONTEXT, "/ctx", Application.class),
                application("context path, Ant", CONTEXT + ANT, "/ctx", Application.class),
                application("servlet path", SERVLET, "", Application.class),
                application("servlet path, Ant", SERVLET + ANT, "", Application.class),
                application("context and servlet path", CONTEXT + SERVLET, "/ctx", Application.class),
                application("context and servlet path, Ant", CONTEXT + SERVLET + ANT, "/ctx", Application.class),
                application("lenient server", "", "", DecodingServer.class, Application.class),
                application("lenient server, Ant", ANT, "", DecodingServer.class, Application.class),
                application(
                        "lenient server, both paths",
                        CONTEXT + SERVLET,
                        "/ctx",
                        DecodingServer.class,
                        Application.class),
                application("server that passes escapes through", "", "", PassingServer.class, Application.class),
                application("server that passes escapes through, Ant", ANT, "", PassingServer.class, Application.class),
                application(
                        "server that passes escapes through, both paths, Ant",
                        CONTEXT + SERVLET + ANT,
                        "/ctx",
                        PassingServer.class,
                        AntAnyCase.class,
                        Application.class));
    }

    private static final String ANT = "spring.mvc.pathmatch.matching-strategy: ant-path-matcher\n";
    private static final String CONTEXT = "server.servlet.context-path: /ctx\n";
    private static final String SERVLET = "spring.mvc.servlet.path: /app\n";

    private static Arguments application(String name, String yaml, String context, Class<?>... sources) {
        return Arguments.of(name, yaml, context, sources);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("applications")
    void requestWhenSpeltInAnyWayThenIsChargedByTheRuleOfItsHandler(
            String name, String yaml, String context, Class<?>[] sources) throws IOException {
        String app = yaml.contains(SERVLET) ? "/app" : "";
        Map<String, Collection<String>> reached = new HashMap<>();
        List<String> escaped = new ArrayList<>();
        try (WebServer server = WebServer.start(yaml(yaml, app), sources);
                RawHttp client = new RawHttp(server.port())) {
            for (String target : targets(context, app, new Random(name.hashCode()))) {
                Answer answer = client.send("GET", target, WEB_SOCKET);
                String rule = rule(answer, app);
                if (!rule.isEmpty()) {
                    reached.computeIfAbsent(rule, key -> new TreeSet<>()).add(target);
                    if (!List.of(answer.header("X-Charged").split(",")).contains(rule)) {
                        escaped.add(target + " reached " + rule + ", charged " + answer.headers("X-Charged"));
                    }
                }
            }
        }
        assertThat(escaped).isEmpty();
        assertThat(reached.keySet()).containsAll(handlers(app));
        assertThat(reached.values().stream().mapToInt(Collection::size).sum()).isGreaterThan(FEWEST_SPELLINGS);
    }

    private static final String[] WEB_SOCKET = {
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
    };

    private static String yaml(String yaml, String app) throws IOException {
        write("images/cat.txt", "/images");
        write("pages/kiss.txt", "/pages/kiss.txt");
        StringBuilder all = new StringBuilder(WebServer.WITHOUT_SECURITY)
                .append("logging.level.org.apache.catalina: off\nlogging.level.org.springframework: off\n")
                .append("spring.web.resources.static-locations: \"file:")
                .append(directory)
                .append("/,classpath:/hostile/\"\n")
                .append(yaml)
                .append("ratelimit.rules:\n");
        for (String rule : RULES) {
            all.append("  - { path: \"").append(prefixed(rule, app)).append("\", rate: 1000000/s }\n");
        }
        return all.toString();
    }

    private static void write(String file, String text) throws IOException {
        Files.createDirectories(directory.resolve(file).getParent());
        Files.writeString(directory.resolve(file), text);
    }

    /** Handlers of Spring MVC are below its servlet, others are not. */
    private static String prefixed(String rule, String app) {
        return rule.startsWith("/legacy") || rule.equals("/exact") ? rule : app + rule;
    }

    private static List<String> handlers(String app) {
        return RULES.stream()
                .filter(rule -> !rule.equals("/legacy"))
                .map(rule -> prefixed(rule, app))
                .toList();
    }

    private static List<String> targets(String context, String app, Random random) {
        List<String> targets = new ArrayList<>();
        for (String path : PATHS) {
            String whole = context + prefixed(path, app);
            targets.addAll(Spellings.of(whole));
            for (int i = 0; i < 100; i++) {
                targets.add(Spellings.random(whole, random));
            }
        }
        Collections.shuffle(targets, random);
        List<String> drawn = new ArrayList<>(targets.subList(0, SPELLINGS));
        PATHS.forEach(path -> drawn.add(context + prefixed(path, app)));
        return drawn;
    }

    /** The rule of the handler that has answered: a handler says so in a header, a file is its own rule. */
    private static String rule(Answer answer, String app) {
        String handler = answer.header("X-Handler");
        if (handler.isEmpty() && answer.body().startsWith("/") && answer.status() == 200) {
            handler = answer.body();
        }
        return handler.isEmpty() ? "" : prefixed(handler, app);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebSocket
    static class Application {

        @Bean
        FilterRegistrationBean<?> charged() {
            return new FilterRegistrationBean<>((request, response, chain) -> {
                RateLimitContext limits =
                        (RateLimitContext) Objects.requireNonNull(request.getAttribute(RateLimitContext.ATTRIBUTE));
                ((HttpServletResponse) response)
                        .setHeader(
                                "X-Charged",
                                limits.decisions().stream().map(Decision::zone).collect(Collectors.joining(",")));
                chain.doFilter(request, response);
            });
        }

        @Bean
        Controller controller() {
            return new Controller();
        }

        @Bean
        RouterFunction<ServerResponse> functions() {
            return RouterFunctions.route()
                    .GET(
                            "/fn/echo",
                            request -> ServerResponse.ok()
                                    .header("X-Handler", "/fn/echo")
                                    .build())
                    .build();
        }

        @Bean
        ServletRegistrationBean<Plain> legacy() {
            return new ServletRegistrationBean<>(new Plain(), "/legacy/*");
        }

        @Bean
        ServletRegistrationBean<Plain> exact() {
            ServletRegistrationBean<Plain> registration = new ServletRegistrationBean<>(new Plain(), "/exact");
            registration.setName("exact");
            return registration;
        }

        @Bean
        WebSocketConfigurer sockets() {
            return registry ->
                    registry.addHandler(new TextWebSocketHandler(), "/ws/echo").addInterceptors(new SocketSays());
        }

        @Bean
        WebMvcConfigurer views() {
            return new WebMvcConfigurer() {
                @Override
                public void addViewControllers(ViewControllerRegistry registry) {
                    registry.addStatusController("/view", HttpStatus.NO_CONTENT);
                }

                @Override
                public void addInterceptors(InterceptorRegistry registry) {
                    registry.addInterceptor(new ViewSays());
                }
            };
        }
    }

    /** Tells of the handler that has no other way to. */
    private static final class ViewSays implements HandlerInterceptor {

        @Override
        public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
            if (handler instanceof ParameterizableViewController) {
                response.setHeader("X-Handler", "/view");
            }
            return true;
        }
    }

    private static final class SocketSays implements HandshakeInterceptor {

        @Override
        public boolean beforeHandshake(
                ServerHttpRequest request,
                ServerHttpResponse response,
                WebSocketHandler handler,
                Map<String, Object> attributes) {
            response.getHeaders().set("X-Handler", "/ws/echo");
            return true;
        }

        @Override
        public void afterHandshake(
                ServerHttpRequest request,
                ServerHttpResponse response,
                WebSocketHandler handler,
                @Nullable Exception failure) {
            // nothing to add
        }
    }

    @RestController
    static class Controller {

        @RequestMapping("/api/login")
        void login(HttpServletResponse response) {
            response.setHeader("X-Handler", "/api/login");
        }

        @RequestMapping("/api/other")
        void other(HttpServletResponse response) {
            response.setHeader("X-Handler", "/api");
        }

        @RequestMapping("/files/**")
        void files(HttpServletResponse response) {
            response.setHeader("X-Handler", "/files");
        }
    }

    /** Looks at the path that the container has worked out. */
    static final class Plain extends HttpServlet {

        private static final long serialVersionUID = 1L;

        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) {
            String path = request.getServletPath() + Objects.requireNonNullElse(request.getPathInfo(), "");
            if (RULES.contains(path)) {
                response.setHeader("X-Handler", path);
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class AnyCase {

        @Bean
        WebMvcConfigurer anyCase() {
            return new WebMvcConfigurer() {
                @Override
                public void configurePathMatch(PathMatchConfigurer configurer) {
                    PathPatternParser parser = new PathPatternParser();
                    parser.setCaseSensitive(false);
                    configurer.setPatternParser(parser);
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class AntAnyCase {

        @Bean
        @SuppressWarnings("removal")
        WebMvcConfigurer antAnyCase() {
            return new WebMvcConfigurer() {
                @Override
                public void configurePathMatch(PathMatchConfigurer configurer) {
                    AntPathMatcher matcher = new AntPathMatcher();
                    matcher.setCaseSensitive(false);
                    configurer.setPathMatcher(matcher);
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class NoTrailingSlash {

        @Bean
        UrlHandlerFilter noTrailingSlash() {
            return UrlHandlerFilter.trailingSlashHandler("/**").wrapRequest().build();
        }
    }

    /** Takes for a slash whatever looks like one. */
    @Configuration(proxyBeanMethods = false)
    static class DecodingServer {

        @Bean
        WebServerFactoryCustomizer<TomcatServletWebServerFactory> decoding() {
            return factory -> factory.addConnectorCustomizers(connector -> {
                connector.setEncodedSolidusHandling("decode");
                connector.setEncodedReverseSolidusHandling("decode");
                connector.setAllowBackslash(true);
                connector.setRejectSuspiciousURIs(false);
                connector.setProperty("relaxedPathChars", "\\<>[]^`{|}\"");
            });
        }
    }

    /** Leaves escaped slashes to the application. */
    @Configuration(proxyBeanMethods = false)
    static class PassingServer {

        @Bean
        WebServerFactoryCustomizer<TomcatServletWebServerFactory> passing() {
            return factory -> factory.addConnectorCustomizers(connector -> {
                connector.setEncodedSolidusHandling("passthrough");
                connector.setEncodedReverseSolidusHandling("passthrough");
                connector.setRejectSuspiciousURIs(false);
                connector.setProperty("relaxedPathChars", "\\<>[]^`{|}\"");
            });
        }
    }
}
