package io.github.ratelimit.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.actuate.RateLimitConsoleEndpoint;
import io.github.ratelimit.autoconfigure.RateLimitEndpointAutoConfigurationTests.Limiter;
import io.github.ratelimit.limiter.RateLimiter;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jackson.JacksonEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementContextAutoConfiguration;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.servlet.autoconfigure.actuate.web.ServletManagementContextAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

class RateLimitConsoleAutoConfigurationTests {

    private static final String EXPOSED = "management.endpoints.web.exposure.include=ratelimitconsole";

    private final WebApplicationContextRunner contextRunner = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    JacksonAutoConfiguration.class,
                    HttpMessageConvertersAutoConfiguration.class,
                    DispatcherServletAutoConfiguration.class,
                    WebMvcAutoConfiguration.class,
                    EndpointAutoConfiguration.class,
                    WebEndpointAutoConfiguration.class,
                    JacksonEndpointAutoConfiguration.class,
                    ManagementContextAutoConfiguration.class,
                    ServletManagementContextAutoConfiguration.class,
                    RateLimitConsoleAutoConfiguration.class))
            .withUserConfiguration(Limiter.class);

    @Test
    void consoleWhenNotExposedThenAbsent() {
        contextRunner.run(context -> assertThat(context).doesNotHaveBean(RateLimitConsoleEndpoint.class));
        contextRunner
                .withPropertyValues(EXPOSED, "management.endpoint.ratelimitconsole.access=NONE")
                .run(context -> assertThat(context).doesNotHaveBean(RateLimitConsoleEndpoint.class));
    }

    @Test
    void consoleWhenExposedThenIsAPageThatRunsOnlyItsOwnScript() {
        contextRunner.withPropertyValues(EXPOSED).run(context -> {
            MvcTestResult result = MockMvcTester.from(context)
                    .get()
                    .uri("/actuator/ratelimitconsole")
                    .exchange();
            assertThat(result).hasStatusOk().hasHeader("Content-Type", "text/html;charset=UTF-8");
            String html = result.getResponse().getContentAsString(StandardCharsets.UTF_8);
            String policy = String.valueOf(result.getResponse().getHeader("Content-Security-Policy"));
            assertThat(policy)
                    .startsWith("default-src 'none'; script-src '" + digest(html, "script") + "'; style-src '"
                            + digest(html, "style") + "'; connect-src 'self';")
                    .endsWith("; frame-ancestors 'none'")
                    .doesNotContain("unsafe");
            assertThat(html).contains(policy.replace("; frame-ancestors 'none'", ""));
            assertThat(result)
                    .hasHeader("X-Content-Type-Options", "nosniff")
                    .hasHeader("X-Frame-Options", "DENY")
                    .hasHeader("Referrer-Policy", "no-referrer")
                    .hasHeader("Cache-Control", "no-store");
        });
    }

    @Test
    void consoleThenNeedsNothingFromOutsideAndHasNoHandlersInItsMarkup() {
        contextRunner.withPropertyValues(EXPOSED).run(context -> {
            String html = context.getBean(RateLimitConsoleEndpoint.class).page();
            assertThat(html)
                    .contains("<meta name=\"ratelimit-endpoint\" content=\"ratelimit\">")
                    .doesNotContain("{{", "innerHTML", "insertAdjacentHTML", "document.write", "eval(", "style=\"")
                    .doesNotContainPattern("\\son\\w+=")
                    .doesNotContainPattern("(src|href)=\"?(https?:)?//");
        });
    }

    @Test
    void consoleWhenEndpointsHaveOtherPathsThenFindsTheOtherOne() {
        contextRunner
                .withPropertyValues(
                        EXPOSED,
                        "management.endpoints.web.path-mapping.ratelimitconsole=ops/console",
                        "management.endpoints.web.path-mapping.ratelimit=limits")
                .run(context -> {
                    assertThat(MockMvcTester.from(context).get().uri("/actuator/ops/console"))
                            .hasStatusOk()
                            .bodyText()
                            .contains("<meta name=\"ratelimit-endpoint\" content=\"../limits\">");
                    assertThat(MockMvcTester.from(context).get().uri("/actuator/ratelimitconsole"))
                            .hasStatus(HttpStatus.NOT_FOUND);
                });
    }

    @Test
    void consoleWhenTheApplicationHasItsOwnThenBacksOff() {
        contextRunner
                .withPropertyValues(EXPOSED)
                .withBean("own", RateLimitConsoleEndpoint.class, () -> new RateLimitConsoleEndpoint("elsewhere"))
                .run(context -> assertThat(context).doesNotHaveBean("rateLimitConsoleEndpoint"));
    }

    @Test
    void consoleWhenThereIsNoLimiterThenAbsent() {
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(RateLimitConsoleAutoConfiguration.class))
                .withPropertyValues("management.endpoints.web.exposure.include=*")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(RateLimitConsoleEndpoint.class));
    }

    @Test
    void consoleWhenActuatorIsMissingThenAbsent() {
        new WebApplicationContextRunner()
                .withUserConfiguration(Limiter.class, ImportedByName.class)
                .withPropertyValues("management.endpoints.web.exposure.include=*")
                .withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate"))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(RateLimiter.class)
                        .doesNotHaveBean(RateLimitConsoleAutoConfiguration.class));
    }

    @Test
    void accessThenReadOnlyByDefault() {
        assertThat(RateLimitConsoleEndpoint.class
                        .getAnnotation(WebEndpoint.class)
                        .defaultAccess())
                .isEqualTo(Access.READ_ONLY);
    }

    private static String digest(String html, String element) throws Exception {
        String open = "<" + element + ">";
        String content = html.substring(html.indexOf(open) + open.length(), html.indexOf("</" + element + ">"));
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(content.getBytes(StandardCharsets.UTF_8));
        return "sha256-" + Base64.getEncoder().encodeToString(digest);
    }

    /** Has the class read instead of loaded, as it is in an application: one that is loaded already hides what lacks. */
    @ImportAutoConfiguration(RateLimitConsoleAutoConfiguration.class)
    static class ImportedByName {}
}
