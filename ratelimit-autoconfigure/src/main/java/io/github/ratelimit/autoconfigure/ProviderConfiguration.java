package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.LimitProvider;
import io.github.ratelimit.provided.ProvidedLimits;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Limits of single keys by the application's own {@link LimitProvider}, where it has one. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBean(LimitProvider.class)
class ProviderConfiguration {

    @Bean(RateLimitAutoConfiguration.PREFIX + "providedLimits")
    static ProvidedLimits providedLimits(LimitProvider provider) {
        return new ProvidedLimits(provider, System::nanoTime);
    }

    @Bean(RateLimitAutoConfiguration.PREFIX + "providedLimitsListener")
    static Listener listener(ProvidedLimits limits) {
        return new Listener(limits);
    }

    /** Hears that answers may be outdated. */
    static final class Listener implements ApplicationListener<PayloadApplicationEvent<LimitProvider.Changed>> {

        private final ProvidedLimits limits;

        Listener(ProvidedLimits limits) {
            this.limits = limits;
        }

        @Override
        public void onApplicationEvent(PayloadApplicationEvent<LimitProvider.Changed> event) {
            limits.changed(event.getPayload());
        }
    }
}
