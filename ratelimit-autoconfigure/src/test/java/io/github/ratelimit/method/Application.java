package io.github.ratelimit.method;

import io.github.ratelimit.Decision;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.algorithm.TokenBucket;
import io.github.ratelimit.fixture.LimiterFixture;
import io.github.ratelimit.key.ClientAddress;
import io.github.ratelimit.key.KeyParts;
import io.github.ratelimit.key.KeyPlan;
import io.github.ratelimit.key.KeyPlan.MissingKey;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.method.RateLimitedAnnotationProcessor.Annotated;
import io.github.ratelimit.policy.InvalidPolicyException.Fault;
import io.github.ratelimit.policy.Policy;
import io.github.ratelimit.policy.RuleTable;
import io.github.ratelimit.policy.Zone;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.AnnotatedBeanDefinitionReader;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.http.HttpStatus;
import org.springframework.mock.web.MockServletContext;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.support.GenericWebApplicationContext;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** A small application with annotated beans, over clocks that stand still. */
final class Application implements AutoCloseable {

    private static final ClientAddress CLIENTS = new ClientAddress(List.of(), "X-Forwarded-For", 32, 64);

    private final LimiterFixture limiter = new LimiterFixture();
    private final GenericWebApplicationContext context = new GenericWebApplicationContext(new MockServletContext());
    private final Map<String, Zone> zones = new LinkedHashMap<>();
    private @Nullable Annotated annotated;

    private Application(List<Zone> zones, Class<?>... components) {
        zones.forEach(zone -> this.zones.put(zone.name(), zone));
        context.registerBean(LimiterFixture.class, () -> limiter);
        context.registerBean(Application.class, () -> this);
        AnnotatedBeanDefinitionReader reader = new AnnotatedBeanDefinitionReader(context);
        reader.register(components);
        // as an auto-configuration, which comes behind the application's own
        reader.register(Wiring.class, Refusals.class);
    }

    /** Starts with these zones of five permits, keyed by the header X-Key, and the components. */
    static Application start(List<Zone> zones, Class<?>... components) {
        Application application = new Application(zones, components);
        application.context.refresh();
        return application;
    }

    /** Starts with the zone "five". */
    static Application start(Class<?>... components) {
        return start(List.of(zone("five", "header:X-Key", MissingKey.CLIENT_IP)), components);
    }

    /** The faults of the components, which the application would not start with. */
    static List<Fault> faults(Class<?>... components) {
        try (Application application = start(components)) {
            return application.annotated().faults();
        }
    }

    /** A zone that admits five. */
    static Zone zone(String name, String key, MissingKey missing) {
        KeyPlan plan = new KeyPlan(List.of(KeyParts.of(key, CLIENTS, bean -> null)), missing, CLIENTS);
        return new Zone(name, plan, TokenBucket.of(Rate.parse("5/h"), 5), 1000, Zone.WhenFull.SHARE, false);
    }

    MockMvc mvc() {
        return MockMvcBuilders.webAppContextSetup(context).build();
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    Annotated annotated() {
        return Objects.requireNonNull(annotated);
    }

    @Nullable
    Zone zone(String name) {
        return limiter.policies().get().zones().get(name);
    }

    /** The permits that a key has left in a zone. */
    long left(String zone, RateLimitKey key) {
        Decision next = limiter.limiter().peek(Objects.requireNonNull(zone(zone)), key);
        return next.permitted() ? next.remaining() + 1 : 0;
    }

    RateLimiter limiter() {
        return limiter.limiter();
    }

    @Override
    public void close() {
        context.close();
        limiter.close();
    }

    private void put(Annotated annotated) {
        this.annotated = annotated;
        annotated.inlineZones().forEach(zone -> zones.put(zone.name(), zone));
        limiter.policies()
                .set(new Policy(false, zones, new ArrayList<>(annotated.rules()), new RuleTable(List.of(), true)));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebMvc
    static class Wiring {

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static RateLimitedMethods methods() {
            return new RateLimitedMethods(text -> text);
        }

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static RateLimitedBeanPostProcessor postProcessor(RateLimitedMethods methods) {
            return new RateLimitedBeanPostProcessor(methods);
        }

        @Bean
        RateLimitedAnnotationProcessor processor(
                RateLimitedMethods methods, LimiterFixture limiter, GenericWebApplicationContext context) {
            return new RateLimitedAnnotationProcessor(
                    methods,
                    limiter.limiter(),
                    LimiterFixture.SEATS,
                    limiter.policies(),
                    CLIENTS,
                    name -> KeyParts.of(name, CLIENTS, bean -> null),
                    context.getBeanFactory(),
                    () -> "");
        }

        @Bean
        SmartInitializingSingleton initializer(RateLimitedAnnotationProcessor processor, Application application) {
            return () -> application.put(processor.process(application.zones));
        }

        @Bean
        WebMvcConfigurer configurer(RateLimitedMethods methods) {
            return new WebMvcConfigurer() {
                @Override
                public void addInterceptors(InterceptorRegistry registry) {
                    registry.addInterceptor(
                            new RateLimitedHandlerInterceptor(methods, (request, response, delay) -> false));
                }
            };
        }
    }

    @RestControllerAdvice
    static class Refusals {

        @ExceptionHandler
        @ResponseStatus(HttpStatus.TOO_MANY_REQUESTS)
        String refused(RateLimitExceededException e) {
            return e.decision().zone();
        }
    }
}
