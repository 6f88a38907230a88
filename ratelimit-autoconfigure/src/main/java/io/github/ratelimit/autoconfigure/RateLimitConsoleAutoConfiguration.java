package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.actuate.RateLimitConsoleEndpoint;
import io.github.ratelimit.limiter.RateLimiter;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMapper;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The page {@code /actuator/ratelimitconsole}, where Spring Boot Actuator is present and exposes it. */
@AutoConfiguration(
        afterName = {
            "io.github.ratelimit.autoconfigure.RateLimitAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration"
        })
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBean(RateLimiter.class)
@ConditionalOnAvailableEndpoint(endpoint = RateLimitConsoleEndpoint.class, exposure = EndpointExposure.WEB)
public final class RateLimitConsoleAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    RateLimitConsoleEndpoint rateLimitConsoleEndpoint(ObjectProvider<PathMapper> mappers) {
        List<PathMapper> ordered = mappers.orderedStream().toList();
        String console = PathMapper.getRootPath(ordered, EndpointId.of("ratelimitconsole"));
        String endpoint = PathMapper.getRootPath(ordered, EndpointId.of("ratelimit"));
        long depth = console.chars().filter(character -> character == '/').count();
        return new RateLimitConsoleEndpoint("../".repeat((int) depth) + endpoint);
    }
}
