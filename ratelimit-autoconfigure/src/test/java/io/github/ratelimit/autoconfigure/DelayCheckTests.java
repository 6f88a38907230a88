package io.github.ratelimit.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.ratelimit.algorithm.LeakyBucket;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.fixture.LimiterFixture;
import io.github.ratelimit.fixture.WebServer;
import io.github.ratelimit.policy.InvalidPolicyException;
import io.github.ratelimit.policy.Zone;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletContextInitializer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.mock.web.MockServletContext;

class DelayCheckTests {

    private final LimiterFixture limiter = new LimiterFixture();

    @AfterEach
    void close() {
        limiter.close();
    }

    @Test
    void checkWhenServerWouldPassOverAFilterThenIsAFaultThatNamesIt() {
        enforce(0);

        assertThatExceptionOfType(InvalidPolicyException.class)
                .isThrownBy(() -> check("jetty/12.1", List.of("auth", "audit")).afterSingletonsInstantiated())
                .satisfies(e -> assertThat(e.faults())
                        .hasSize(2)
                        .first()
                        .hasToString(
                                "The filter 'auth' is mapped to DispatcherType.REQUEST only, or without a bean that says"
                                        + " to what: on jetty/12.1 a request that is delayed by zone 'slow' would not"
                                        + " pass it. Make it a FilterRegistrationBean that is mapped to DispatcherType.ASYNC too,"
                                        + " or write ratelimit.zones.slow.delay-after: never"));
    }

    @ParameterizedTest
    @CsvSource({
        "Apache Tomcat/11.0.27, 0, auth",
        "MockServletContext,    0, auth",
        "jetty/12.1,            0, ",
        "jetty/12.1,            5, auth",
        "jetty/12.1, " + Long.MAX_VALUE + ", auth"
    })
    void checkWhenNothingCanBePassedOverThenIsFine(String server, long delayAfter, String filter) {
        enforce(delayAfter);

        assertThatCode(() -> check(server, filter == null ? List.of() : List.of(filter))
                        .afterSingletonsInstantiated())
                .doesNotThrowAnyException();
    }

    @Test
    void filtersThenThoseBehindThatAreMappedToFirstDispatchesOnly() {
        try (GenericApplicationContext context = new GenericApplicationContext()) {
            register(context, "front", 1, DispatcherType.REQUEST);
            register(context, "ours", 2, DispatcherType.REQUEST, DispatcherType.ASYNC);
            register(context, "first", 3, DispatcherType.REQUEST);
            register(context, "both", 4, DispatcherType.REQUEST, DispatcherType.ASYNC);
            register(context, "errors", 5, DispatcherType.ERROR);
            context.registerBean("plain", Filter.class, () -> (request, response, chain) -> {});
            context.refresh();

            assertThat(FirstDispatchFilters.behind("ours", context.getBeanFactory(), new MockServletContext()))
                    .containsExactly("first", "plain");
        }
    }

    @Test
    void startWhenAFilterWasAddedWithoutABeanThenFailsWhereNobodyCanTellItsDispatches() {
        String yaml = WebServer.WITHOUT_SECURITY + """
                ratelimit:
                  zones: { slow: { algorithm: leaky-bucket, rate: 1/s, burst: 5 } }
                  rules: [{ path: /, zones: [slow] }]
                """;
        assertThatThrownBy(() -> WebServer.start(WebServer.on("jetty") + yaml, Added.class)
                        .close())
                .hasMessageContaining("The filter 'added'");
        assertThatCode(() -> WebServer.start(WebServer.on("tomcat") + yaml, Added.class)
                        .close())
                .doesNotThrowAnyException();
    }

    @Configuration(proxyBeanMethods = false)
    static class Added {

        @Bean
        ServletContextInitializer added() {
            Filter filter = (request, response, chain) -> chain.doFilter(request, response);
            return context -> context.addFilter("added", filter)
                    .addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), true, "/*");
        }
    }

    private static void register(GenericApplicationContext context, String name, int order, DispatcherType... types) {
        context.registerBean(name, FilterRegistrationBean.class, () -> {
            FilterRegistrationBean<Filter> registration =
                    new FilterRegistrationBean<>((request, response, chain) -> {});
            registration.setOrder(order);
            registration.setDispatcherTypes(types[0], types);
            return registration;
        });
    }

    private DelayCheck check(String server, List<String> filters) {
        return new DelayCheck(limiter.policies(), () -> server, () -> filters);
    }

    private void enforce(long delayAfter) {
        Zone any = LimiterFixture.zone("slow", "1/s", 1);
        LeakyBucket bucket = LeakyBucket.of(Rate.parse("1/s"), 5, delayAfter);
        limiter.enforce(List.of(new Zone("slow", any.key(), bucket, any.maxKeys(), any.whenFull(), false)));
    }
}
