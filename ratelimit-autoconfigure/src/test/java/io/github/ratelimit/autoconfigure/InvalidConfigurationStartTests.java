package io.github.ratelimit.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.policy.InvalidPolicyException;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;

/** An application whose limits are written wrongly does not start, and says all that is wrong. */
class InvalidConfigurationStartTests {

    private final WebApplicationContextRunner contextRunner = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DispatcherServletAutoConfiguration.class,
                    WebMvcAutoConfiguration.class,
                    RateLimitAutoConfiguration.class));

    @Test
    void startWhenThereAreFiveFaultsThenAllFiveAreTold() {
        contextRunner
                .withPropertyValues(
                        "ratelimit.rulse[0].path=/a",
                        "ratelimit.zones.per-ip.rate=10",
                        "ratelimit.zones.login.rate=5/m",
                        "ratelimit.zones.login.burst=many",
                        "ratelimit.zones.user.rate=5/m",
                        "ratelimit.zones.user.key=usr",
                        "ratelimit.rules[0].path=/a",
                        "ratelimit.rules[0].zones=none")
                .run(context -> assertThat(context)
                        .getFailure()
                        .asInstanceOf(InstanceOfAssertFactories.throwable(InvalidPolicyException.class))
                        .extracting(InvalidPolicyException::faults, InstanceOfAssertFactories.LIST)
                        .extracting("where")
                        .containsExactlyInAnyOrder(
                                "ratelimit.rulse",
                                "ratelimit.zones.per-ip.rate",
                                "ratelimit.zones.login.burst",
                                "ratelimit.zones.user.key",
                                "ratelimit.rules[0].zones[0]"));
    }

    @Test
    void startWhenNothingIsWrongThenThePolicyIsInForce() {
        contextRunner
                .withPropertyValues("ratelimit.rules[0].path=/a", "ratelimit.rules[0].rate=1/s")
                .run(context -> assertThat(context).hasNotFailed());
    }
}
