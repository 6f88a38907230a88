package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.actuate.AnnotatedKeys;
import io.github.ratelimit.actuate.KeyMask;
import io.github.ratelimit.actuate.RateLimitEndpoint;
import io.github.ratelimit.actuate.RateLimitEndpointWebExtension;
import io.github.ratelimit.actuate.ZoneChanger;
import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.method.RateLimitedMethods;
import io.github.ratelimit.policy.PolicyHolder;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** The endpoint {@code /actuator/ratelimit}, where Spring Boot Actuator is present and exposes it. */
@AutoConfiguration(afterName = "io.github.ratelimit.autoconfigure.RateLimitAutoConfiguration")
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBean(RateLimiter.class)
@ConditionalOnAvailableEndpoint(RateLimitEndpoint.class)
@EnableConfigurationProperties(RateLimitEndpointProperties.class)
public final class RateLimitEndpointAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    RateLimitEndpoint rateLimitEndpoint(
            PolicyHolder policies,
            RateLimiter limiter,
            RateLimitEndpointProperties properties,
            ZoneChanger changer,
            ObjectProvider<RateLimitedMethods> methods) {
        RateLimitedMethods annotated = methods.getIfAvailable();
        return new RateLimitEndpoint(
                policies,
                limiter,
                new KeyMask(properties.showKeys(), properties.roles()),
                changer,
                annotated == null ? AnnotatedKeys.NONE : annotated::keys);
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
    RateLimitEndpointWebExtension rateLimitEndpointWebExtension(RateLimitEndpoint endpoint) {
        return new RateLimitEndpointWebExtension(endpoint);
    }
}
