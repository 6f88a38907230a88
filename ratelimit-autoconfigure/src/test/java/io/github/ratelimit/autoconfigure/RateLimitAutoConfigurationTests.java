package io.github.ratelimit.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.RateLimitContext;
import io.github.ratelimit.RateLimited;
import io.github.ratelimit.RejectionHandler;
import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.policy.PolicyHolder;
import io.github.ratelimit.policy.Rule;
import io.github.ratelimit.web.AuthenticatedRateLimitFilter;
import io.github.ratelimit.web.RateLimitFilter;
import jakarta.servlet.Filter;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.server.servlet.context.AnnotationConfigServletWebServerApplicationContext;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.config.annotation.PathMatchConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.util.pattern.PathPatternParser;

@ExtendWith(OutputCaptureExtension.class)
class RateLimitAutoConfigurationTests {

    private final HttpClient client = HttpClient.newHttpClient();

    private final WebApplicationContextRunner contextRunner = new WebApplicationContextRunner(
                    AnnotationConfigServletWebServerApplicationContext::new)
            .withConfiguration(AutoConfigurations.of(
                    RateLimitAutoConfiguration.class,
                    RateLimitDisabledAutoConfiguration.class,
                    RateLimitEndpointAutoConfiguration.class,
                    RateLimitMetricsAutoConfiguration.class,
                    RateLimitReactiveAutoConfiguration.class,
                    TomcatServletWebServerAutoConfiguration.class,
                    DispatcherServletAutoConfiguration.class,
                    WebMvcAutoConfiguration.class))
            .withUserConfiguration(Shop.class)
            .withPropertyValues("server.port=0");

    @Test
    void applicationWhenActuatorAndSecurityArePresentThenLimitsTheSame() {
        contextRunner
                .withPropertyValues("ratelimit.rules[0].path=/a", "ratelimit.rules[0].rate=1/d")
                .run(context -> assertThat(statuses(context, "/a", 2)).containsExactly(200, 429));
    }

    @Test
    void starterWhenNothingIsConfiguredThenDoesNothingAndSaysSo(CapturedOutput output) {
        new WebApplicationContextRunner(AnnotationConfigServletWebServerApplicationContext::new)
                .withConfiguration(AutoConfigurations.of(
                        RateLimitAutoConfiguration.class,
                        TomcatServletWebServerAutoConfiguration.class,
                        DispatcherServletAutoConfiguration.class,
                        WebMvcAutoConfiguration.class))
                .withUserConfiguration(Free.class)
                .withPropertyValues("server.port=0")
                .run(context -> assertThat(statuses(context, "/free", 4)).containsOnly(200));
        assertThat(output).containsOnlyOnce("nothing is limited");
    }

    @Test
    void startUpWhenThereAreRulesThenSaysInOneLineWhatIsInForce(CapturedOutput output) {
        contextRunner
                .withPropertyValues(
                        "ratelimit.dry-run=true", "ratelimit.rules[0].path=/a", "ratelimit.rules[0].rate=1/d")
                .run(context -> assertThat(statuses(context, "/a", 3)).containsOnly(200));
        assertThat(output.getOut().lines().filter(line -> line.contains("Rate limiting:")))
                .singleElement()
                .asString()
                .contains("2 zones", "1 rules by URL", "1 annotated handlers", "-110", "-90", "dry run ON")
                .contains("heap when full: '/a' 11.4 MB (100000 keys), ");
    }

    @Test
    void starterWhenDisabledThenIsAbsent() {
        contextRunner
                .withPropertyValues("ratelimit.enabled=false", "ratelimit.rules[0].path=/a")
                .run(context -> {
                    assertThat(context).doesNotHaveBean(RateLimiter.class);
                    assertThat(statuses(context, "/annotated", 3)).containsOnly(200);
                    assertThat(statuses(context, "/settled", 3)).containsOnly(200);
                });
    }

    @Test
    void rulesWhenPathsDifferInCaseOnlyAndThatIsIgnoredThenStartUpFails() {
        contextRunner
                .withBean(WebMvcConfigurer.class, RateLimitAutoConfigurationTests::anyCase)
                .withPropertyValues(
                        "ratelimit.rules[0].path=/a",
                        "ratelimit.rules[0].rate=1/d",
                        "ratelimit.rules[1].path=/A",
                        "ratelimit.rules[1].rate=1/d")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("ratelimit.rules[1].path is a duplicate: ratelimit.rules[0]"));
    }

    private static WebMvcConfigurer anyCase() {
        return new WebMvcConfigurer() {
            @Override
            public void configurePathMatch(PathMatchConfigurer configurer) {
                PathPatternParser parser = new PathPatternParser();
                parser.setCaseSensitive(false);
                configurer.setPatternParser(parser);
            }
        };
    }

    @Test
    void handlersWhenTheServletHasAPathThenItIsPartOfTheirRules() {
        contextRunner
                .withPropertyValues("spring.mvc.servlet.path=/app")
                .run(context -> assertThat(
                                context.getBean(PolicyHolder.class).get().rules())
                        .extracting(Rule::path)
                        .containsExactly("/app/annotated"));
    }

    @Test
    void starterWhenApplicationIsReactiveThenStaysOutAndSaysSo(CapturedOutput output) {
        new ReactiveWebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        RateLimitAutoConfiguration.class,
                        RateLimitEndpointAutoConfiguration.class,
                        RateLimitMetricsAutoConfiguration.class,
                        RateLimitReactiveAutoConfiguration.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(RateLimiter.class));
        assertThat(output).contains("Nothing is limited");
    }

    @Test
    void starterWhenApplicationHasNoWebThenIsAbsent() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        RateLimitAutoConfiguration.class, RateLimitReactiveAutoConfiguration.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(RateLimiter.class));
    }

    @Test
    void rejectionHandlerWhenTheApplicationHasOneThenWritesTheBody() {
        contextRunner
                .withBean(
                        RejectionHandler.class,
                        () -> (request, response, decision) ->
                                response.getWriter().print("no more " + decision.zone()))
                .withPropertyValues("ratelimit.rules[0].path=/a", "ratelimit.rules[0].rate=1/d")
                .run(context -> {
                    assertThat(get(context, "/a").statusCode()).isEqualTo(200);
                    HttpResponse<String> refused = get(context, "/a");
                    assertThat(refused.statusCode()).isEqualTo(429);
                    assertThat(refused.body()).isEqualTo("no more /a");
                    assertThat(refused.headers().firstValue("Retry-After")).hasValue("86400");
                });
    }

    @Test
    void applicationWhenItsBeansAreNamedLikeOursThenStarts() {
        contextRunner
                .withBean("rateLimiter", String.class, () -> "mine")
                .withBean("rateLimitFilter", String.class, () -> "mine")
                .withBean("localStore", String.class, () -> "mine")
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(RateLimiter.class));
    }

    /** RL-20. */
    @Test
    void filterWhenRegisteredThenIsNoBeanThatCouldStandInASecondChain() {
        contextRunner.run(context -> {
            assertThat(context).doesNotHaveBean(RateLimitFilter.class);
            assertThat(context.getBeansOfType(FilterRegistrationBean.class).values())
                    .filteredOn(registration -> isOurs(registration.getFilter()))
                    .extracting(FilterRegistrationBean::getOrder)
                    .containsExactlyInAnyOrder(-110, -90);
        });
    }

    @Test
    void contextsWhenOpenedAndClosedThenLeaveNoThreadsAndShareNoQuota() {
        Set<String> before = threads();
        for (int i = 0; i < 30; i++) {
            contextRunner
                    .withPropertyValues("ratelimit.rules[0].path=/a", "ratelimit.rules[0].rate=1/d")
                    .run(context -> assertThat(statuses(context, "/a", 2)).containsExactly(200, 429));
        }
        assertThat(threads()).isSubsetOf(before);
    }

    @Test
    void contextsWhenSideBySideThenClosingOneLeavesTheOtherAlone() {
        contextRunner
                .withPropertyValues("ratelimit.rules[0].path=/a", "ratelimit.rules[0].rate=1/d")
                .run(outer -> {
                    contextRunner
                            .withPropertyValues("ratelimit.rules[0].path=/a", "ratelimit.rules[0].rate=1/d")
                            .run(inner -> assertThat(statuses(inner, "/a", 2)).containsExactly(200, 429));
                    assertThat(statuses(outer, "/a", 2)).containsExactly(200, 429);
                });
    }

    private static boolean isOurs(@Nullable Filter filter) {
        return filter instanceof RateLimitFilter || filter instanceof AuthenticatedRateLimitFilter;
    }

    /** Names of our threads that live. */
    private static Set<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("ratelimit-"))
                .filter(Thread::isAlive)
                .map(thread -> thread.getName() + thread.getId())
                .collect(Collectors.toSet());
    }

    private List<Integer> statuses(AssertableWebApplicationContext context, String path, int times)
            throws IOException, InterruptedException {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            statuses.add(get(context, path).statusCode());
        }
        return statuses;
    }

    private HttpResponse<String> get(AssertableWebApplicationContext context, String path)
            throws IOException, InterruptedException {
        AnnotationConfigServletWebServerApplicationContext running =
                context.getSourceApplicationContext(AnnotationConfigServletWebServerApplicationContext.class);
        int port = Objects.requireNonNull(running.getWebServer()).getPort();
        return client.send(
                HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @Configuration(proxyBeanMethods = false)
    static class Free {

        @Bean
        FreeController freeController() {
            return new FreeController();
        }
    }

    @RestController
    static class FreeController {

        @GetMapping("/free")
        String free() {
            return "free";
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Shop extends Free {

        @Bean
        ShopController shopController() {
            return new ShopController();
        }
    }

    @RestController
    static class ShopController {

        @GetMapping("/a")
        String a() {
            return "a";
        }

        @GetMapping("/settled")
        String settled(RateLimitContext limits) {
            limits.charge(3);
            limits.charge("zone", 3);
            limits.refund(3);
            limits.refund("zone", 3);
            return limits.decisions().toString();
        }

        @GetMapping("/annotated")
        @RateLimited(rate = "1/d")
        String annotated() {
            return "annotated";
        }
    }
}
