package io.github.ratelimit.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.Decision.Outcome;
import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.limiter.ZoneStatistics;
import io.github.ratelimit.policy.PolicyHolder;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.web.RateLimitFilter;
import io.github.ratelimit.web.ResumeGuard;
import jakarta.servlet.DispatcherType;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.security.web.SecurityFilterChain;

/** The filters in an application's context, without a server. */
class FilterWiringTests {

    private final WebApplicationContextRunner contextRunner = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DispatcherServletAutoConfiguration.class,
                    WebMvcAutoConfiguration.class,
                    RateLimitAutoConfiguration.class));

    @Test
    void filtersThenStandBeforeAndBehindSecurityAndAreNoBeans() {
        contextRunner.run(context -> {
            assertThat(context).doesNotHaveBean(RateLimitFilter.class);
            assertThat(registration(context, "filter").getOrder()).isEqualTo(-110);
            assertThat(registration(context, "authenticatedFilter").getOrder()).isEqualTo(-90);
            for (String name : List.of("filter", "authenticatedFilter")) {
                assertThat(registration(context, name).determineDispatcherTypes())
                        .containsExactlyInAnyOrder(DispatcherType.REQUEST, DispatcherType.ASYNC);
                assertThat(registration(context, name).isAsyncSupported()).isTrue();
            }
            assertThat(registration(context, "resumeGuard").getFilter()).isInstanceOf(ResumeGuard.class);
            assertThat(registration(context, "resumeGuard").determineDispatcherTypes())
                    .containsExactly(DispatcherType.ASYNC);
        });
        contextRunner
                .withPropertyValues("ratelimit.filter.order=1", "ratelimit.filter.authenticated-order=2")
                .run(context -> {
                    assertThat(registration(context, "filter").getOrder()).isEqualTo(1);
                    assertThat(registration(context, "authenticatedFilter").getOrder())
                            .isEqualTo(2);
                });
    }

    @Test
    void refusalWhenSecurityIsAbsentAndARequestComesFromElsewhereThenIsWritten() {
        contextRunner
                .withClassLoader(new FilteredClassLoader(SecurityFilterChain.class))
                .withPropertyValues("ratelimit.rules[0].path=/", "ratelimit.rules[0].rate=1/h")
                .run(context -> {
                    assertThat(request(context).getStatus()).isEqualTo(200);
                    assertThat(request(context).getStatus()).isEqualTo(429);
                });
    }

    @Test
    void dryRunWhenForEverythingThenNothingIsRefusedOrDelayed() {
        contextRunner
                .withPropertyValues(
                        "ratelimit.dry-run=true",
                        "ratelimit.zones.bucket.key=global",
                        "ratelimit.zones.bucket.rate=1/h",
                        "ratelimit.zones.queue.key=global",
                        "ratelimit.zones.queue.algorithm=leaky-bucket",
                        "ratelimit.zones.queue.rate=1/h",
                        "ratelimit.zones.queue.burst=1",
                        "ratelimit.rules[0].path=/",
                        "ratelimit.rules[0].zones=bucket,queue")
                .run(context -> {
                    for (int i = 0; i < 3; i++) {
                        assertThat(request(context).getStatus()).isEqualTo(200);
                    }
                    assertThat(count(context, "bucket", Outcome.DRY_RUN_REJECTED))
                            .isEqualTo(2);
                    assertThat(count(context, "queue", Outcome.DRY_RUN_REJECTED))
                            .isEqualTo(1);
                });
    }

    private static long count(ApplicationContext context, String name, Outcome outcome) {
        Zone zone = Objects.requireNonNull(
                context.getBean(PolicyHolder.class).get().zones().get(name));
        ZoneStatistics statistics = context.getBean(RateLimiter.class).statistics(zone);
        return statistics.count(outcome);
    }

    private static MockHttpServletResponse request(ApplicationContext context) throws Exception {
        MockHttpServletRequest request = new MockHttpServletRequest("GET", "/a");
        request.addHeader("Origin", "http://app.example");
        request.setAsyncSupported(true);
        MockHttpServletResponse response = new MockHttpServletResponse();
        Objects.requireNonNull(registration(context, "filter").getFilter())
                .doFilter(request, response, new MockFilterChain());
        assertThat(request.isAsyncStarted()).isFalse();
        return response;
    }

    private static FilterRegistrationBean<?> registration(ApplicationContext context, String name) {
        return context.getBean(RateLimitAutoConfiguration.PREFIX + name, FilterRegistrationBean.class);
    }
}
