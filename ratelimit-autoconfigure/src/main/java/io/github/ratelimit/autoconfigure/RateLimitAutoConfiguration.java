package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.RejectionHandler;
import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.method.RateLimitedAnnotationProcessor;
import io.github.ratelimit.policy.PolicyHolder;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.store.local.LocalStore;
import io.github.ratelimit.store.local.Ticker;
import io.github.ratelimit.web.ExemptPathSource;
import io.github.ratelimit.web.ExemptPaths;
import io.github.ratelimit.web.Pass;
import io.github.ratelimit.web.ProblemRejectionHandler;
import io.github.ratelimit.web.RateLimitFilter;
import io.github.ratelimit.web.Rejections;
import jakarta.servlet.DispatcherType;
import java.time.InstantSource;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/**
 * Limits a servlet application by the rules under {@code ratelimit.*} and by {@code @RateLimited}.
 *
 * <p>Beans carry the project's name, so that an application's own {@code rateLimitFilter} does not collide with them;
 * the filter itself is no bean, so that it cannot end up in a second chain.
 */
@AutoConfiguration
@ConditionalOnWebApplication(type = Type.SERVLET)
@ConditionalOnClass(DispatcherServlet.class)
@ConditionalOnProperty(prefix = "ratelimit", name = "enabled", matchIfMissing = true)
@Import({RateLimitMethodConfiguration.class, ActuatorPathsConfiguration.class})
public final class RateLimitAutoConfiguration {

    static final String PREFIX = "io.github.ratelimit.";

    @Bean(PREFIX + "setup")
    static RateLimitSetup setup(ApplicationContext context) {
        return new RateLimitSetup(
                context.getEnvironment(), context.getAutowireCapableBeanFactory(), context.getClassLoader());
    }

    @Bean(PREFIX + "policyHolder")
    static PolicyHolder policyHolder() {
        return new PolicyHolder();
    }

    @Bean(PREFIX + "localStore")
    static LocalStore localStore(ObjectProvider<Ticker> ticker) {
        return new LocalStore(ticker.getIfAvailable(Ticker::system));
    }

    @Bean(PREFIX + "rateLimiter")
    static RateLimiter rateLimiter(LocalStore store) {
        return new RateLimiter(
                zone -> store.zone(zone.name(), zone.maxKeys(), zone.whenFull() == Zone.WhenFull.SHARE),
                InstantSource.system());
    }

    @Bean(PREFIX + "policyInitializer")
    static PolicyInitializer policyInitializer(
            RateLimitSetup setup,
            RateLimitedAnnotationProcessor annotations,
            PolicyHolder policies,
            RateLimiter limiter,
            ObjectProvider<RequestMappingHandlerMapping> mappings) {
        return new PolicyInitializer(
                setup,
                annotations,
                policies,
                limiter,
                () -> mappings.stream()
                        .allMatch(mapping -> mapping.getPatternParser() == null
                                || mapping.getPatternParser().isCaseSensitive()));
    }

    @Bean(PREFIX + "rejections")
    static Rejections rejections(RateLimitSetup setup, ObjectProvider<RejectionHandler> handler) {
        return new Rejections(
                setup.properties().response().status(), handler.getIfUnique(ProblemRejectionHandler::new));
    }

    @Bean(PREFIX + "filter")
    static FilterRegistrationBean<RateLimitFilter> filter(
            RateLimitSetup setup,
            PolicyHolder policies,
            RateLimiter limiter,
            Rejections rejections,
            ObjectProvider<ExemptPathSource> sources) {
        return registration(Pass.EARLY, setup, policies, limiter, rejections, sources);
    }

    @Bean(PREFIX + "authenticatedFilter")
    static FilterRegistrationBean<RateLimitFilter> authenticatedFilter(
            RateLimitSetup setup,
            PolicyHolder policies,
            RateLimiter limiter,
            Rejections rejections,
            ObjectProvider<ExemptPathSource> sources) {
        return registration(Pass.AUTHENTICATED, setup, policies, limiter, rejections, sources);
    }

    private static FilterRegistrationBean<RateLimitFilter> registration(
            Pass pass,
            RateLimitSetup setup,
            PolicyHolder policies,
            RateLimiter limiter,
            Rejections rejections,
            ObjectProvider<ExemptPathSource> sources) {
        RateLimitProperties.Filter properties = setup.properties().filter();
        ExemptPaths exempt = new ExemptPaths(
                properties.exclude(),
                () -> sources.stream()
                        .map(ExemptPathSource::paths)
                        .flatMap(List::stream)
                        .toList());
        FilterRegistrationBean<RateLimitFilter> registration = new FilterRegistrationBean<>(
                new RateLimitFilter(pass, policies, limiter, setup.clients(), exempt, rejections));
        boolean early = pass == Pass.EARLY;
        registration.setName(PREFIX + (early ? "filter" : "authenticatedFilter"));
        registration.setOrder(early ? properties.order() : properties.authenticatedOrder());
        registration.setDispatcherTypes(DispatcherType.REQUEST);
        registration.setAsyncSupported(true);
        return registration;
    }
}
