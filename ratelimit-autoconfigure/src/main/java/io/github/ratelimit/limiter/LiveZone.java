package io.github.ratelimit.limiter;

import io.github.ratelimit.store.ZoneStore;
import java.util.concurrent.atomic.AtomicLong;

/** A zone at work: its store, its counters, and when it last complained of being full. */
final class LiveZone {

    final ZoneStore store;
    final ZoneStatistics statistics = new ZoneStatistics();
    final AtomicLong nextFullWarning = new AtomicLong(Long.MIN_VALUE);

    LiveZone(ZoneStore store) {
        this.store = store;
    }
}
