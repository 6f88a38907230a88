package io.github.ratelimit.web;

import io.github.ratelimit.Decision;
import io.github.ratelimit.RateLimitContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.ServerHttpRequest;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
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
import org.springframework.web.socket.server.HandshakeHandler;
import org.springframework.web.socket.server.HandshakeInterceptor;
import org.springframework.web.socket.server.jetty.JettyRequestUpgradeStrategy;
import org.springframework.web.socket.server.standard.StandardWebSocketUpgradeStrategy;
import org.springframework.web.socket.server.support.DefaultHandshakeHandler;

/**
 * An application with handlers of every kind, each of which says in the header {@link #HANDLER} which rule it falls under,
 * while {@link #CHARGED} says what the limiter has charged.
 */
@Configuration(proxyBeanMethods = false)
@EnableWebSocket
class HostileApplication {

    static final String HANDLER = "X-Handler";
    static final String CHARGED = "X-Charged";

    /** What it serves: each path has a rule, and its handler says so. */
    static final List<String> PATHS = List.of(
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

    static final List<String> RULES = List.of(
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

    @Bean
    FilterRegistrationBean<?> charged() {
        return new FilterRegistrationBean<>((request, response, chain) -> {
            if (request.getAttribute(RateLimitContext.ATTRIBUTE) instanceof RateLimitContext limits) {
                String zones = limits.decisions().stream().map(Decision::zone).collect(Collectors.joining(","));
                ((HttpServletResponse) response).setHeader(CHARGED, zones);
            }
            chain.doFilter(request, response);
        });
    }

    @Bean
    RouterFunction<ServerResponse> functions() {
        return RouterFunctions.route()
                .GET(
                        "/fn/echo",
                        request ->
                                ServerResponse.ok().header(HANDLER, "/fn/echo").build())
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
    WebSocketConfigurer sockets(Environment environment) {
        return registry -> registry.addHandler(new TextWebSocketHandler(), "/ws/echo")
                .setHandshakeHandler(handshakes(environment))
                .addInterceptors(new SocketSays());
    }

    /** Both servers are on the class path, so that Spring cannot tell which one runs. */
    static HandshakeHandler handshakes(Environment environment) {
        return new DefaultHandshakeHandler(
                "jetty".equals(environment.getProperty("test.server"))
                        ? new JettyRequestUpgradeStrategy()
                        : new StandardWebSocketUpgradeStrategy());
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

    /** Tells of the handler that has no other way to. */
    private static final class ViewSays implements HandlerInterceptor {

        @Override
        public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
            if (handler instanceof ParameterizableViewController) {
                response.setHeader(HANDLER, "/view");
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
            response.getHeaders().set(HANDLER, "/ws/echo");
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

    /** Found because it is a member. */
    @RestController
    static class Controller {

        @RequestMapping("/api/login")
        void login(HttpServletResponse response) {
            response.setHeader(HANDLER, "/api/login");
        }

        @RequestMapping("/api/other")
        void other(HttpServletResponse response) {
            response.setHeader(HANDLER, "/api");
        }

        @RequestMapping("/files/**")
        void files(HttpServletResponse response) {
            response.setHeader(HANDLER, "/files");
        }
    }

    /** Looks at the path that the container has worked out. */
    static final class Plain extends HttpServlet {

        private static final long serialVersionUID = 1L;

        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) {
            String path = request.getServletPath() + Objects.requireNonNullElse(request.getPathInfo(), "");
            if (RULES.contains(path)) {
                response.setHeader(HANDLER, path);
            }
        }
    }
}
