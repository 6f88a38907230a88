package io.github.ratelimit.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.ToLongFunction;

/**
 * How often the application's own key resolvers threw an exception: {@code ratelimit.key.failures} {resolver}, one series
 * for each bean.
 *
 * <p>Safe for use by many threads.
 */
public final class KeyResolverMeters implements MeterBinder, AutoCloseable {

    private final List<String> resolvers;
    private final ToLongFunction<String> failures;
    private final List<Bound> meters = new CopyOnWriteArrayList<>();

    /** A meter and the registry that it is in. */
    private record Bound(Meter meter, MeterRegistry registry) {}

    /**
     * Meters that are in no registry.
     *
     * @param resolvers names of the beans
     * @param failures of the resolver of a name, since the start
     */
    public KeyResolverMeters(List<String> resolvers, ToLongFunction<String> failures) {
        this.resolvers = List.copyOf(resolvers);
        this.failures = failures;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        for (String resolver : resolvers) {
            Meter meter = FunctionCounter.builder(
                            "ratelimit.key.failures", this, it -> it.failures.applyAsLong(resolver))
                    .description("Requests for which a key resolver of the application threw an exception")
                    .baseUnit("failures")
                    .tag("resolver", resolver)
                    .register(registry);
            meters.add(new Bound(meter, registry));
        }
    }

    /** Takes the meters out of every registry. */
    @Override
    public void close() {
        meters.forEach(bound -> bound.registry().remove(bound.meter()));
        meters.clear();
    }
}
