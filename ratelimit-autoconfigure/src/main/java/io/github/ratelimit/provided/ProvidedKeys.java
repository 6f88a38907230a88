package io.github.ratelimit.provided;

import io.github.ratelimit.KeyResolver;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the application's own {@link KeyResolver}s say. One that throws has found no key, so that the zone's
 * {@code missing-key} decides and the request is not answered with the resolver's failure; failures are counted, and
 * logged at most once a minute for each resolver. Safe for use by many threads.
 */
public final class ProvidedKeys {

    private static final Logger log = LoggerFactory.getLogger(KeyResolver.class);

    private final Map<String, Failures> failures = new ConcurrentHashMap<>();
    private final LongSupplier nanoClock;

    /**
     * No resolver yet.
     *
     * @param nanoClock like {@link System#nanoTime()}
     */
    public ProvidedKeys(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /** How often a resolver failed, and when that may be logged again. */
    private record Failures(LongAdder count, OncePerMinute warnings) {}

    /**
     * A resolver that never throws an exception.
     *
     * @param name of the bean
     */
    public KeyResolver guarded(String name, KeyResolver resolver) {
        Failures own = failures.computeIfAbsent(
                name, absent -> new Failures(new LongAdder(), new OncePerMinute(nanoClock.getAsLong())));
        return request -> {
            try {
                return resolver.resolve(request);
            } catch (RuntimeException e) {
                own.count().increment();
                warn(name, own, e);
                return null;
            }
        };
    }

    /** How often the resolver of this name has thrown an exception since the start. */
    public long failures(String name) {
        Failures own = failures.get(name);
        return own == null ? 0 : own.count().sum();
    }

    private void warn(String name, Failures own, RuntimeException problem) {
        if (own.warnings().isDue(nanoClock.getAsLong())) {
            log.warn(
                    "The KeyResolver '{}' threw an exception, {} times since the start: these requests have no key, and missing-key decides",
                    name,
                    own.count().sum(),
                    problem);
        }
    }
}
