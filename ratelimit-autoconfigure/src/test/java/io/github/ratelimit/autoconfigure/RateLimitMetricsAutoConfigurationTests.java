package io.github.ratelimit.autoconfigure;

import static io.github.ratelimit.fixture.LimiterFixture.zone;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.autoconfigure.RateLimitEndpointAutoConfigurationTests.Limiter;
import io.github.ratelimit.fixture.LimiterFixture;
import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.metrics.RateLimitMeters;
import io.github.ratelimit.policy.PolicyHolder;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class RateLimitMetricsAutoConfigurationTests {

    private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    MetricsAutoConfiguration.class,
                    CompositeMeterRegistryAutoConfiguration.class,
                    RateLimitMetricsAutoConfiguration.class))
            .withUserConfiguration(Limiter.class);

    @Test
    void metersWhenThePolicyComesAfterStartUpThenAreInTheRegistry() {
        contextRunner.withBean(SimpleMeterRegistry.class).run(context -> {
            context.getBean(LimiterFixture.class).enforce(List.of(zone("login", "30/m", 5)));
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            assertThat(registry.find("ratelimit.decisions").functionCounters()).hasSize(4);
            assertThat(registry.find("ratelimit.zone.keys").gauges()).hasSize(1);
        });
    }

    @Test
    void metersWhenTwoRegistriesArePresentThenAreInBoth() {
        contextRunner
                .withBean("first", SimpleMeterRegistry.class)
                .withBean("second", SimpleMeterRegistry.class)
                .run(context -> {
                    context.getBean(LimiterFixture.class).enforce(List.of(zone("login", "30/m", 5)));
                    assertThat(context.getBeansOfType(SimpleMeterRegistry.class).values())
                            .hasSize(2)
                            .allSatisfy(registry -> assertThat(
                                            registry.find("ratelimit.decisions").functionCounters())
                                    .hasSize(4));
                });
    }

    @Test
    void metersWhenTheContextIsClosedThenAreGoneFromARegistryThatOutlivesIt() {
        SimpleMeterRegistry outliving = new SimpleMeterRegistry();
        contextRunner
                .withBean(MeterRegistry.class, () -> outliving, definition -> definition.setDestroyMethodName(""))
                .run(context -> {
                    context.getBean(LimiterFixture.class).enforce(List.of(zone("login", "30/m", 5)));
                    assertThat(outliving.find("ratelimit.decisions").meters()).isNotEmpty();
                });
        assertThat(outliving.getMeters())
                .noneMatch(meter -> meter.getId().getName().startsWith("ratelimit"));
    }

    @Test
    void metersWhenThereIsNoRegistryThenStartsAnyway() {
        contextRunner.run(context -> assertThat(context).hasNotFailed().hasSingleBean(RateLimitMeters.class));
    }

    @Test
    void metersWhenTheApplicationHasItsOwnThenBacksOff() {
        contextRunner
                .withBean(
                        "own",
                        RateLimitMeters.class,
                        () -> new RateLimitMeters(new PolicyHolder(), new LimiterFixture().limiter()))
                .run(context ->
                        assertThat(context).hasSingleBean(RateLimitMeters.class).doesNotHaveBean("rateLimitMeters"));
    }

    @Test
    void metersWhenThereIsNoLimiterThenAbsent() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(RateLimitMetricsAutoConfiguration.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(RateLimitMeters.class)
                        .doesNotHaveBean(RateLimiter.class));
    }

    @Test
    void metersWhenMicrometerIsMissingThenAbsent() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(RateLimitMetricsAutoConfiguration.class))
                .withUserConfiguration(Limiter.class)
                .withClassLoader(new FilteredClassLoader("io.micrometer"))
                .run(context ->
                        assertThat(context).hasNotFailed().doesNotHaveBean(RateLimitMetricsAutoConfiguration.class));
    }
}
