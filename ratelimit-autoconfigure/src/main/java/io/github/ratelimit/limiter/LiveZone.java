package io.github.ratelimit.limiter;

import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.observe.ZoneObserver;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.store.ZoneStore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A zone at work: its state in this instance, its counters, what is remembered of it, and when it last complained of being full. */
final class LiveZone {

    private static final Logger log = LoggerFactory.getLogger(RateLimiter.class);
    private static final long WARN_MILLIS = 60_000;

    final ZoneStore store;
    private final Supplier<ZoneStore> guards;
    final ZoneStatistics statistics = new ZoneStatistics();
    final ZoneObserver observer;
    private final AtomicLong nextWarning = new AtomicLong(Long.MIN_VALUE);

    LiveZone(String name, ZoneStore store, Supplier<ZoneStore> guards) {
        this.store = store;
        this.guards = guards;
        this.observer = new ZoneObserver(name);
    }

    /** The state of the coarse limit that is asked before a shared store. */
    ZoneStore guard() {
        return guards.get();
    }

    /** Forgets what a key has drawn in this instance. */
    void forget(Zone zone, RateLimitKey key) {
        store.forget(key);
        if (zone.sharing() != null && zone.sharing().guard() != null) {
            guard().forget(key);
        }
    }

    /** Says that the zone is full, once a minute. */
    void warnOfFullness(Zone zone, long nowMillis) {
        long due = nextWarning.get();
        if (nowMillis >= due && nextWarning.compareAndSet(due, nowMillis + WARN_MILLIS)) {
            log.warn(
                    "Zone '{}' is full: it holds {} keys, and newcomers {}. Raise ratelimit.zones.{}.max-keys;"
                            + " {} decisions were made in shared buckets so far",
                    zone.name(),
                    zone.maxKeys(),
                    zone.whenFull() == Zone.WhenFull.SHARE ? "share buckets" : "are refused",
                    zone.name(),
                    store.usage().shared());
        }
    }
}
