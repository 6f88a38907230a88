package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.web.RateLimitContextArgumentResolver;
import java.util.List;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.context.annotation.Bean;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Keeps handlers working that settle costs, where {@code ratelimit.enabled=false} leaves nothing to settle. */
@AutoConfiguration
@ConditionalOnWebApplication(type = Type.SERVLET)
@ConditionalOnClass(DispatcherServlet.class)
@ConditionalOnProperty(prefix = "ratelimit", name = "enabled", havingValue = "false")
public final class RateLimitDisabledAutoConfiguration {

    @Bean(RateLimitAutoConfiguration.PREFIX + "noContextConfigurer")
    static WebMvcConfigurer noContextConfigurer() {
        return new WebMvcConfigurer() {
            @Override
            public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
                resolvers.add(new RateLimitContextArgumentResolver());
            }
        };
    }
}
