package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.KeyResolver;
import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.metrics.KeyResolverMeters;
import io.github.ratelimit.metrics.RateLimitMeters;
import io.github.ratelimit.policy.PolicyHolder;
import io.github.ratelimit.provided.ProvidedKeys;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The meters of zones, decisions and key resolvers, where Micrometer is present; Spring Boot binds them to its registries. */
@AutoConfiguration(afterName = "io.github.ratelimit.autoconfigure.RateLimitAutoConfiguration")
@ConditionalOnClass(MeterBinder.class)
@ConditionalOnBean(RateLimiter.class)
public final class RateLimitMetricsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    RateLimitMeters rateLimitMeters(PolicyHolder policies, RateLimiter limiter) {
        return new RateLimitMeters(policies, limiter);
    }

    @Bean
    @ConditionalOnBean({KeyResolver.class, ProvidedKeys.class})
    @ConditionalOnMissingBean
    KeyResolverMeters rateLimitKeyResolverMeters(ListableBeanFactory beans, ProvidedKeys keys) {
        return new KeyResolverMeters(
                List.of(beans.getBeanNamesForType(KeyResolver.class, true, false)), keys::failures);
    }
}
