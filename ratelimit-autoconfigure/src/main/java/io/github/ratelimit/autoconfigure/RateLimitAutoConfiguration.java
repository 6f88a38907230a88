package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.RejectionHandler;
import io.github.ratelimit.limiter.KeyBanned;
import io.github.ratelimit.limiter.LimiterListener;
import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.method.RateLimitedAnnotationProcessor;
import io.github.ratelimit.policy.PolicyHolder;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.provided.ProvidedKeys;
import io.github.ratelimit.provided.ProvidedLimits;
import io.github.ratelimit.store.Bans;
import io.github.ratelimit.store.ChangeStore;
import io.github.ratelimit.store.SharedStore;
import io.github.ratelimit.store.local.LocalStore;
import io.github.ratelimit.store.local.Ticker;
import io.github.ratelimit.web.AuthenticatedRateLimitFilter;
import io.github.ratelimit.web.CorsHeaders;
import io.github.ratelimit.web.ExemptPathSource;
import io.github.ratelimit.web.ExemptPaths;
import io.github.ratelimit.web.Gate;
import io.github.ratelimit.web.Occupants;
import io.github.ratelimit.web.ProblemRejectionHandler;
import io.github.ratelimit.web.QuotaHeaders;
import io.github.ratelimit.web.RateLimitFilter;
import io.github.ratelimit.web.Rejections;
import io.github.ratelimit.web.RequestDecider;
import io.github.ratelimit.web.RequestTimer;
import io.github.ratelimit.web.ResumeGuard;
import io.github.ratelimit.web.WaitingRoom;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.context.WebApplicationContext;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.handler.AbstractHandlerMapping;
import org.springframework.web.util.pattern.PathPatternParser;

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
@Import({
    RateLimitMethodConfiguration.class,
    ActuatorPathsConfiguration.class,
    CorsConfiguration.class,
    ProviderConfiguration.class
})
public final class RateLimitAutoConfiguration {

    static final String PREFIX = "io.github.ratelimit.";

    /** A waiting request holds its connection and some buffers, tens of kilobytes, but no thread. */
    private static final int WAITING_REQUESTS = 5_000;

    @Bean(PREFIX + "setup")
    static RateLimitSetup setup(ApplicationContext context) {
        return new RateLimitSetup(
                context.getEnvironment(), context.getAutowireCapableBeanFactory(), context.getClassLoader());
    }

    @Bean(PREFIX + "providedKeys")
    static ProvidedKeys providedKeys(RateLimitSetup setup) {
        return setup.providedKeys();
    }

    @Bean(PREFIX + "policyHolder")
    static PolicyHolder policyHolder() {
        return new PolicyHolder();
    }

    @Bean(PREFIX + "localStore")
    static LocalStore localStore(ObjectProvider<Ticker> ticker) {
        return new LocalStore(ticker.getIfAvailable(Ticker::system));
    }

    @Bean(PREFIX + "requestTimer")
    static RequestTimer requestTimer() {
        return new RequestTimer();
    }

    @Bean(PREFIX + "occupants")
    static Occupants occupants(RequestTimer timer) {
        return new Occupants(timer);
    }

    @Bean(PREFIX + "waitingRoom")
    static WaitingRoom waitingRoom(RequestTimer timer, Occupants occupants) {
        return new WaitingRoom(WAITING_REQUESTS, timer, occupants);
    }

    @Bean(PREFIX + "rateLimiter")
    static RateLimiter rateLimiter(
            LocalStore store,
            ObjectProvider<SharedStore> shared,
            ObjectProvider<Bans> sharedBans,
            WaitingRoom room,
            ApplicationEventPublisher events) {
        RateLimiter limiter = new RateLimiter(
                (name, zone) -> store.zone(name, zone.maxKeys(), zone.whenFull() == Zone.WhenFull.SHARE),
                shared.getIfAvailable(SharedStore::absent),
                room,
                store.bans(),
                sharedBans.getIfAvailable(store::bans),
                InstantSource.system());
        limiter.onNews(new LimiterListener() {
            @Override
            public void banned(KeyBanned ban) {
                events.publishEvent(ban);
            }
        });
        return limiter;
    }

    @Bean(PREFIX + "policyRefresher")
    static PolicyRefresher policyRefresher(
            RateLimitSetup setup,
            PolicyHolder policies,
            RateLimiter limiter,
            ObjectProvider<ChangeStore> changes,
            ObjectProvider<ProvidedLimits> provided,
            ObjectProvider<AbstractHandlerMapping> mappings) {
        return new PolicyRefresher(
                setup.surroundings(
                        provided(provided.getIfAvailable()),
                        () -> mappings.stream().allMatch(RateLimitAutoConfiguration::isCaseSensitive)),
                policies,
                limiter,
                changes.getIfAvailable(ChangeStore::inMemory));
    }

    @SuppressWarnings("removal") // applications may still use a path matcher
    private static boolean isCaseSensitive(AbstractHandlerMapping mapping) {
        PathPatternParser parser = mapping.getPatternParser();
        return parser != null
                ? parser.isCaseSensitive()
                : !mapping.getPathMatcher().match("/a", "/A");
    }

    private static Surroundings.Provided provided(@Nullable ProvidedLimits limits) {
        return limits == null ? Surroundings.Provided.NONE : limits::of;
    }

    @Bean(PREFIX + "policyInitializer")
    static PolicyInitializer policyInitializer(
            RateLimitSetup setup,
            RateLimitedAnnotationProcessor annotations,
            PolicyRefresher refresher,
            LimitSources sources) {
        return new PolicyInitializer(setup, annotations, refresher, sources);
    }

    @Bean(PREFIX + "limitSources")
    static LimitSources limitSources(RateLimitSetup setup, PolicyRefresher refresher, Environment environment) {
        return new LimitSources(refresher, setup.bound(), environment, setup.reloadFile());
    }

    @Bean(PREFIX + "reloadWatcher")
    static ReloadWatcher reloadWatcher(RateLimitSetup setup, LimitSources sources) {
        return new ReloadWatcher(sources, setup.reloadFile(), setup.reloadInterval());
    }

    @Bean(PREFIX + "environmentChangeListener")
    static EnvironmentChangeListener environmentChangeListener(LimitSources sources) {
        return new EnvironmentChangeListener(sources);
    }

    @Bean(PREFIX + "quotaHeaders")
    static QuotaHeaders quotaHeaders(RateLimitSetup setup) {
        RateLimitProperties.Response response = setup.properties().response();
        return new QuotaHeaders(response.headers(), response.exposeTo(), response.corsExpose(), setup.clients());
    }

    @Bean(PREFIX + "rejections")
    static Rejections rejections(
            RateLimitSetup setup, ObjectProvider<RejectionHandler> handler, QuotaHeaders headers, CorsHeaders cors) {
        return new Rejections(
                setup.properties().response().status(),
                handler.getIfUnique(ProblemRejectionHandler::new),
                headers,
                cors);
    }

    @Bean(PREFIX + "requestDecider")
    static RequestDecider requestDecider(
            RateLimitSetup setup,
            PolicyHolder policies,
            RateLimiter limiter,
            ObjectProvider<ExemptPathSource> sources) {
        ExemptPaths exempt = new ExemptPaths(
                setup.properties().filter().exclude(),
                () -> sources.stream()
                        .map(ExemptPathSource::paths)
                        .flatMap(List::stream)
                        .toList());
        return new RequestDecider(policies, limiter, setup.clients(), exempt);
    }

    @Bean(PREFIX + "gate")
    static Gate gate(
            RequestDecider decider,
            Rejections rejections,
            QuotaHeaders headers,
            WaitingRoom room,
            Occupants occupants) {
        return new Gate(decider, rejections, headers, room, occupants);
    }

    @Bean(PREFIX + "filter")
    static FilterRegistrationBean<RateLimitFilter> filter(RateLimitSetup setup, Gate gate) {
        return registration("filter", setup.properties().filter().order(), new RateLimitFilter(gate));
    }

    @Bean(PREFIX + "authenticatedFilter")
    static FilterRegistrationBean<AuthenticatedRateLimitFilter> authenticatedFilter(RateLimitSetup setup, Gate gate) {
        return registration(
                "authenticatedFilter",
                setup.properties().filter().authenticatedOrder(),
                new AuthenticatedRateLimitFilter(gate));
    }

    @Bean(PREFIX + "resumeGuard")
    static FilterRegistrationBean<ResumeGuard> resumeGuard(WebApplicationContext context) {
        SingletonSupplier<List<String>> filters = SingletonSupplier.of(() -> firstDispatchFilters(context));
        FilterRegistrationBean<ResumeGuard> registration =
                registration("resumeGuard", Ordered.HIGHEST_PRECEDENCE, new ResumeGuard(filters::obtain));
        registration.setDispatcherTypes(DispatcherType.ASYNC);
        return registration;
    }

    @Bean(PREFIX + "delayCheck")
    static DelayCheck delayCheck(PolicyHolder policies, WebApplicationContext context) {
        return new DelayCheck(
                policies,
                () -> Objects.requireNonNull(context.getServletContext()).getServerInfo(),
                () -> firstDispatchFilters(context));
    }

    private static List<String> firstDispatchFilters(WebApplicationContext context) {
        return FirstDispatchFilters.behind(
                PREFIX + "filter", context, Objects.requireNonNull(context.getServletContext()));
    }

    private static <T extends Filter> FilterRegistrationBean<T> registration(String name, int order, T filter) {
        FilterRegistrationBean<T> registration = new FilterRegistrationBean<>(filter);
        registration.setName(PREFIX + name);
        registration.setOrder(order);
        // a request that has waited comes back by an asynchronous dispatch; no other is looked at
        registration.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.ASYNC);
        registration.setAsyncSupported(true);
        return registration;
    }
}
