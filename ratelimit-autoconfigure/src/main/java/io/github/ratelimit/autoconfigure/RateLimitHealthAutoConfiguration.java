package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.actuate.RateLimitHealthIndicator;
import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.policy.PolicyHolder;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.context.annotation.Bean;

/** The health contributor {@code ratelimit}, where Spring Boot's health is present. */
@AutoConfiguration(
        afterName = "io.github.ratelimit.autoconfigure.RateLimitAutoConfiguration",
        beforeName = "org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration")
@ConditionalOnClass(ConditionalOnEnabledHealthIndicator.class)
@ConditionalOnBean(RateLimiter.class)
@ConditionalOnEnabledHealthIndicator("ratelimit")
@EnableConfigurationProperties(RateLimitHealthProperties.class)
public final class RateLimitHealthAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = {"ratelimitHealthIndicator", "ratelimitHealthContributor"})
    RateLimitHealthIndicator ratelimitHealthIndicator(
            PolicyHolder policies, RateLimiter limiter, RateLimitHealthProperties properties) {
        return new RateLimitHealthIndicator(policies, limiter, properties.strict());
    }
}
