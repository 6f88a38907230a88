package io.github.ratelimit.metrics;

import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.policy.PolicyHolder;
import io.github.ratelimit.store.StoreMonitor;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The meters of all zones, whichever policy is in force.
 *
 * <p>{@code ratelimit.decisions} {zone, outcome, tier}, {@code ratelimit.zone.keys} {zone},
 * {@code ratelimit.zone.max.keys} {zone}, {@code ratelimit.zone.shared} {zone} and {@code ratelimit.store} {store, result}. All series of a zone are there as
 * soon as the zone is, and leave with it; they read the counters that the limiter keeps anyway, so a decision costs no
 * more for being metered. No tag holds anything that a client can choose.
 *
 * <p>Safe for use by many threads.
 */
public final class RateLimitMeters implements MeterBinder, AutoCloseable {

    private final PolicyHolder policies;
    private final RateLimiter limiter;
    private final @Nullable StoreMonitor shared;
    private final List<Binding> bindings = new CopyOnWriteArrayList<>();

    /** One registry, and how to stop following the policy for it. */
    private record Binding(ZoneMeters meters, Runnable unsubscribe) {}

    /** Meters that are in no registry, where nothing is shared. */
    public RateLimitMeters(PolicyHolder policies, RateLimiter limiter) {
        this(policies, limiter, null);
    }

    /**
     * Meters that are in no registry.
     *
     * @param policies tells which zones there are
     * @param limiter knows what became of them
     * @param shared tells how the store of shared zones does, {@code null} when there is none
     */
    public RateLimitMeters(PolicyHolder policies, RateLimiter limiter, @Nullable StoreMonitor shared) {
        this.policies = policies;
        this.limiter = limiter;
        this.shared = shared;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        ZoneMeters meters = new ZoneMeters(registry, policies, limiter);
        Runnable unfollow = policies.onChange(meters::follow);
        Runnable unhear = shared == null ? () -> {} : StoreTimers.follow(shared, registry);
        bindings.add(new Binding(meters, () -> {
            unfollow.run();
            unhear.run();
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
