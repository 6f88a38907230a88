package io.github.ratelimit.metrics;

import io.github.ratelimit.store.StoreMonitor;
import io.github.ratelimit.store.StoreUnavailableException.Kind;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** {@code ratelimit.store} {store, result} in one registry: how long requests waited for a shared store. */
final class StoreTimers implements StoreMonitor.AnswerListener {

    private final Timer answered;
    private final Map<Kind, Timer> failed = new EnumMap<>(Kind.class);

    /** Times what a store answers; the result ends it and takes the meters out of the registry. */
    static Runnable follow(StoreMonitor store, MeterRegistry registry) {
        StoreTimers timers = new StoreTimers(registry, store.name());
        Runnable unhear = store.onAnswer(timers);
        return () -> {
            unhear.run();
            registry.remove(timers.answered);
            timers.failed.values().forEach(registry::remove);
        };
    }

    private StoreTimers(MeterRegistry registry, String store) {
        answered = timer(registry, store, "success");
        for (Kind kind : Kind.values()) {
            failed.put(kind, timer(registry, store, kind.name().toLowerCase(Locale.ROOT)));
        }
    }

    private static Timer timer(MeterRegistry registry, String store, String result) {
        return Timer.builder("ratelimit.store")
                .description("How long requests waited for the store of shared zones, by what came of it")
                .tags("store", store, "result", result)
                .register(registry);
    }

    @Override
    public void answered(@Nullable Kind failure, long nanos) {
        Timer timer = failure == null ? answered : Objects.requireNonNull(failed.get(failure));
        timer.record(nanos, TimeUnit.NANOSECONDS);
    }
}
