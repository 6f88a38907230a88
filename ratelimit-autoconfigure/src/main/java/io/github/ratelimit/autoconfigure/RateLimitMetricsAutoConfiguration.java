package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.metrics.RateLimitMeters;
import io.github.ratelimit.policy.PolicyHolder;
import io.github.ratelimit.store.StoreMonitor;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The meters of zones and decisions, where Micrometer is present; Spring Boot binds them to its registries. */
@AutoConfiguration(afterName = "io.github.ratelimit.autoconfigure.RateLimitAutoConfiguration")
@ConditionalOnClass(MeterBinder.class)
@ConditionalOnBean(RateLimiter.class)
public final class RateLimitMetricsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    RateLimitMeters rateLimitMeters(PolicyHolder policies, RateLimiter limiter, ObjectProvider<StoreMonitor> shared) {
        return new RateLimitMeters(policies, limiter, shared.getIfAvailable());
    }
}
