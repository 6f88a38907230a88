package io.github.ratelimit.limiter;

import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.store.ZoneStore;

/** Gives zones their state. Safe for use by many threads. */
@FunctionalInterface
public interface ZoneStores {

    /** The state of a zone, made on first use; its bound is changed and its state kept when it is there. */
    ZoneStore open(Zone zone);
}
