package io.github.ratelimit.store.redis;

import io.github.ratelimit.store.StoreHealth;
import io.github.ratelimit.store.StoreUnavailableException;
import io.github.ratelimit.store.StoreUnavailableException.Kind;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts failures by kind, and logs a line for each kind once a minute at most. Safe for use by many threads. */
final class FailureLog {

    private static final Logger log = LoggerFactory.getLogger(RedisStore.class);
    private static final long QUIET_NANOS = 60_000_000_000L;
    private static final Set<Kind> ANSWERS = EnumSet.of(Kind.OUT_OF_MEMORY, Kind.READ_ONLY, Kind.FORBIDDEN, Kind.ERROR);

    private final Map<Kind, Entry> entries = new EnumMap<>(Kind.class);

    FailureLog() {
        for (Kind kind : Kind.values()) {
            entries.put(kind, new Entry());
        }
    }

    /** A request got no answer. */
    void count(Kind kind) {
        entry(kind).count.increment();
    }

    /** Tells of a failure. What the server answers with wants somebody to act; an outage may pass. */
    void tell(StoreUnavailableException failure) {
        Kind kind = failure.kind();
        if (!entry(kind).isDue(System.nanoTime())) {
            return;
        }
        String text = "Redis failed ({}): {}. Zones that are shared follow their on-store-failure meanwhile";
        if (ANSWERS.contains(kind)) {
            log.error(text, kind, failure.getMessage());
        } else {
            log.warn(text, kind, failure.getMessage());
        }
    }

    void tellDown(String reason) {
        log.warn("Redis is not asked until it answers again: {}", reason);
    }

    void tellUp() {
        log.info("Redis answers: zones that are shared are decided there");
    }

    StoreHealth health(boolean up) {
        Map<Kind, Long> counts = new EnumMap<>(Kind.class);
        entries.forEach((kind, entry) -> {
            long count = entry.count.sum();
            if (count > 0) {
                counts.put(kind, count);
            }
        });
        return new StoreHealth(up ? StoreHealth.State.UP : StoreHealth.State.DOWN, counts);
    }

    private Entry entry(Kind kind) {
        return Objects.requireNonNull(entries.get(kind));
    }

    private static final class Entry {

        private final LongAdder count = new LongAdder();
        private final AtomicLong due = new AtomicLong(System.nanoTime());

        boolean isDue(long now) {
            long last = due.get();
            return now - last >= 0 && due.compareAndSet(last, now + QUIET_NANOS);
        }
    }
}
