package io.github.ratelimit.autoconfigure;

import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;

/** Says in a reactive application that nothing is limited: it has no servlet filter to do it. */
@AutoConfiguration
@ConditionalOnWebApplication(type = Type.REACTIVE)
@ConditionalOnProperty(prefix = "ratelimit", name = "enabled", matchIfMissing = true)
public final class RateLimitReactiveAutoConfiguration implements InitializingBean {

    @Override
    public void afterPropertiesSet() {
        LoggerFactory.getLogger(RateLimitReactiveAutoConfiguration.class)
                .warn("Rate limiting stays out: it works on servlet applications, and this one is reactive."
                        + " Nothing is limited");
    }
}
