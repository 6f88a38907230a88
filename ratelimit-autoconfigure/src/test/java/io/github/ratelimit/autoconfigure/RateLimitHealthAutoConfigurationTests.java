package io.github.ratelimit.autoconfigure;

import static io.github.ratelimit.fixture.LimiterFixture.zone;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.actuate.RateLimitHealthIndicator;
import io.github.ratelimit.autoconfigure.RateLimitEndpointAutoConfigurationTests.Limiter;
import io.github.ratelimit.fixture.LimiterFixture;
import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.policy.Zone.WhenFull;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class RateLimitHealthAutoConfigurationTests {

    private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    RateLimitHealthAutoConfiguration.class, HealthContributorAutoConfiguration.class))
            .withUserConfiguration(Limiter.class);

    @Test
    void healthWhenZonesHaveRoomThenUpWithDetails() {
        contextRunner.run(context -> {
            context.getBean(LimiterFixture.class).enforce(List.of(zone("login", "30/m", 5)));
            Health health = health(context.getBean(RateLimitHealthIndicator.class));
            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails())
                    .isEqualTo(Map.of(
                            "zones",
                            Map.of("login", Map.of("keys", 0L, "maxKeys", 100_000L, "usage", 0.0, "full", false))));
        });
    }

    @Test
    void healthWhenAZoneIsFullThenUpWithAWarning() {
        contextRunner.run(context -> {
            fill(context.getBean(LimiterFixture.class));
            Health health = health(context.getBean(RateLimitHealthIndicator.class));
            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails().get("warnings"))
                    .isEqualTo(List.of("Zone 'small' is full: it holds 1 keys, and newcomers share buckets"));
        });
    }

    @Test
    void healthWhenAZoneIsFullAndStrictThenDown() {
        contextRunner
                .withPropertyValues("management.health.ratelimit.strict=true")
                .run(context -> {
                    RateLimitHealthIndicator indicator = context.getBean(RateLimitHealthIndicator.class);
                    assertThat(health(indicator).getStatus()).isEqualTo(Status.UP);
                    fill(context.getBean(LimiterFixture.class));
                    assertThat(health(indicator).getStatus()).isEqualTo(Status.DOWN);
                    assertThat(health(indicator).getDetails()).containsKeys("zones", "warnings");
                });
    }

    @Test
    void contributorThenIsNamedAfterThePrefix() {
        contextRunner.run(context -> assertThat(context.getBeanNamesForType(RateLimitHealthIndicator.class))
                .containsExactly("ratelimitHealthIndicator"));
    }

    @Test
    void contributorWhenDisabledThenAbsent() {
        contextRunner
                .withPropertyValues("management.health.ratelimit.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(RateLimitHealthIndicator.class));
        contextRunner
                .withPropertyValues("management.health.defaults.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(RateLimitHealthIndicator.class));
    }

    @Test
    void contributorWhenTheApplicationHasItsOwnThenBacksOff() {
        contextRunner
                .withBean(
                        "ratelimitHealthIndicator",
                        HealthIndicator.class,
                        () -> () -> Health.up().build())
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(RateLimitHealthIndicator.class));
    }

    @Test
    void contributorWhenThereIsNoLimiterThenAbsent() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(RateLimitHealthAutoConfiguration.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(RateLimitHealthIndicator.class));
    }

    @Test
    void contributorWhenHealthIsMissingThenAbsent() {
        new ApplicationContextRunner()
                .withUserConfiguration(Limiter.class, ImportedByName.class)
                .withClassLoader(new FilteredClassLoader("org.springframework.boot.health"))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(RateLimiter.class)
                        .doesNotHaveBean(RateLimitHealthAutoConfiguration.class));
    }

    private static Health health(RateLimitHealthIndicator indicator) {
        return Objects.requireNonNull(indicator.health(true));
    }

    private static void fill(LimiterFixture fixture) {
        Zone small = zone("small", "1/m", 1, 1, WhenFull.SHARE);
        fixture.enforce(List.of(small));
        fixture.draw(small, "first");
    }

    /** Has the class read instead of loaded, as it is in an application: one that is loaded already hides what lacks. */
    @ImportAutoConfiguration(RateLimitHealthAutoConfiguration.class)
    static class ImportedByName {}
}
