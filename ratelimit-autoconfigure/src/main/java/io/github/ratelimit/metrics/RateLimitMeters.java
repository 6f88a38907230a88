package io.github.ratelimit.metrics;

import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.policy.PolicyHolder;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The meters of all zones, whichever policy is in force.
 *
 * <p>{@code ratelimit.decisions} {zone, outcome, tier}, {@code ratelimit.zone.keys} {zone},
 * {@code ratelimit.zone.max.keys} {zone}, {@code ratelimit.zone.shared} {zone}, {@code ratelimit.bans} {zone} where the zone
 * bans, {@code ratelimit.delay} {zone} where it delays, and {@code ratelimit.store} {store, result} where anything is shared. All
 * series of a zone are there as soon as the zone is, and leave with it; but for the two timers they read the counters that
 * the limiter keeps anyway, so a decision costs no more for being metered. No tag holds anything that a client can choose.
 *
 * <p>Safe for use by many threads.
 */
public final class RateLimitMeters implements MeterBinder, AutoCloseable {

    private final PolicyHolder policies;
    private final RateLimiter limiter;
    private final List<Binding> bindings = new CopyOnWriteArrayList<>();

    /** One registry, and how to stop following policy and limiter for it. */
    private record Binding(ZoneMeters meters, Runnable unsubscribe) {}

    /**
     * Meters that are in no registry.
     *
     * @param policies tells which zones there are
     * @param limiter knows what became of them
     */
    public RateLimitMeters(PolicyHolder policies, RateLimiter limiter) {
        this.policies = policies;
        this.limiter = limiter;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        ZoneMeters meters = new ZoneMeters(registry, policies, limiter);
        Runnable noPolicy = policies.onChange(meters::follow);
        Runnable noNews = limiter.onNews(meters);
        bindings.add(new Binding(meters, () -> {
            noNews.run();
            noPolicy.run();
        }));
    }

    /** Takes the meters out of every registry. */
    @Override
    public void close() {
        for (Binding binding : bindings) {
            binding.unsubscribe().run();
            binding.meters().clear();
        }
        bindings.clear();
    }
}
