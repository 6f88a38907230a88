package io.github.ratelimit.limiter;

import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.store.ZoneStore;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A zone at work: its configuration, its store, its counters, and when it may complain of being full again. */
final class LiveZone {

    final Zone zone;
    final ZoneStore store;
    final ZoneStatistics statistics;
    final AtomicLong nextFullWarning;

    /** A zone that goes on counting where its former configuration, if any, stopped. */
    LiveZone(Zone zone, ZoneStore store, @Nullable LiveZone before) {
        this.zone = zone;
        this.store = store;
        this.statistics = before == null ? new ZoneStatistics() : before.statistics;
        this.nextFullWarning = before == null ? new AtomicLong(Long.MIN_VALUE) : before.nextFullWarning;
    }
}
