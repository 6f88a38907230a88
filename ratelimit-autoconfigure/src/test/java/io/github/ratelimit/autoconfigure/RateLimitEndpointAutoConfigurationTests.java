package io.github.ratelimit.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.actuate.AnnotatedKeys;
import io.github.ratelimit.actuate.KeyMask;
import io.github.ratelimit.actuate.RateLimitEndpoint;
import io.github.ratelimit.actuate.RateLimitEndpointWebExtension;
import io.github.ratelimit.actuate.ZoneChanger;
import io.github.ratelimit.fixture.LimiterFixture;
import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.policy.PolicyHolder;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class RateLimitEndpointAutoConfigurationTests {

    private final WebApplicationContextRunner contextRunner = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RateLimitEndpointAutoConfiguration.class))
            .withUserConfiguration(Limiter.class);

    @Test
    void endpointWhenExposedThenPresent() {
        contextRunner
                .withPropertyValues("management.endpoints.web.exposure.include=ratelimit")
                .run(context -> assertThat(context)
                        .hasSingleBean(RateLimitEndpoint.class)
                        .hasSingleBean(RateLimitEndpointWebExtension.class));
    }

    @Test
    void endpointWhenNotExposedThenAbsent() {
        contextRunner.run(context -> assertThat(context)
                .doesNotHaveBean(RateLimitEndpoint.class)
                .doesNotHaveBean(RateLimitEndpointWebExtension.class));
    }

    @Test
    void endpointWhenAccessIsNoneThenAbsent() {
        contextRunner
                .withPropertyValues(
                        "management.endpoints.web.exposure.include=*", "management.endpoint.ratelimit.access=NONE")
                .run(context -> assertThat(context).doesNotHaveBean(RateLimitEndpoint.class));
    }

    @Test
    void endpointWhenExposedOnlyOverJmxThenHasNoWebExtension() {
        contextRunner
                .withPropertyValues("spring.jmx.enabled=true", "management.endpoints.jmx.exposure.include=ratelimit")
                .run(context -> assertThat(context)
                        .hasSingleBean(RateLimitEndpoint.class)
                        .doesNotHaveBean(RateLimitEndpointWebExtension.class));
    }

    @Test
    void endpointWhenTheApplicationHasItsOwnThenBacksOff() {
        contextRunner
                .withPropertyValues("management.endpoints.web.exposure.include=ratelimit")
                .withBean(
                        "own",
                        RateLimitEndpoint.class,
                        () -> new RateLimitEndpoint(
                                new PolicyHolder(),
                                new LimiterFixture().limiter(),
                                new KeyMask(Show.NEVER, Set.of()),
                                LimiterFixture.CHANGER,
                                AnnotatedKeys.NONE))
                .run(context -> assertThat(context).doesNotHaveBean("rateLimitEndpoint"));
    }

    @Test
    void endpointWhenThereIsNoLimiterThenAbsent() {
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(RateLimitEndpointAutoConfiguration.class))
                .withPropertyValues("management.endpoints.web.exposure.include=*")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(RateLimitEndpoint.class));
    }

    @Test
    void endpointWhenActuatorIsMissingThenAbsent() {
        new WebApplicationContextRunner()
                .withUserConfiguration(Limiter.class, ImportedByName.class)
                .withPropertyValues("management.endpoints.web.exposure.include=*")
                .withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate"))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(RateLimiter.class)
                        .doesNotHaveBean(RateLimitEndpointAutoConfiguration.class));
    }

    @Test
    void endpointWhenShowKeysIsMisspeltThenStartUpFails() {
        contextRunner
                .withPropertyValues(
                        "management.endpoints.web.exposure.include=*", "management.endpoint.ratelimit.show-keys=some")
                .run(context ->
                        assertThat(context).getFailure().hasStackTraceContaining("management.endpoint.ratelimit"));
    }

    @Configuration(proxyBeanMethods = false)
    static class Limiter {

        @Bean
        LimiterFixture fixture() {
            return new LimiterFixture();
        }

        @Bean
        ZoneChanger zoneChanger() {
            return LimiterFixture.CHANGER;
        }

        @Bean
        RateLimiter rateLimiter(LimiterFixture fixture) {
            return fixture.limiter();
        }

        @Bean
        PolicyHolder policyHolder(LimiterFixture fixture) {
            return fixture.policies();
        }
    }

    /** Has the class read instead of loaded, as it is in an application: one that is loaded already hides what lacks. */
    @ImportAutoConfiguration(RateLimitEndpointAutoConfiguration.class)
    static class ImportedByName {}
}
