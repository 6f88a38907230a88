package io.github.ratelimit.limiter;

import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.store.ZoneStore;

/** Gives zones their state in this instance. Safe for use by many threads. */
@FunctionalInterface
public interface ZoneStores {

    /**
     * The state of this name, made on first use; its bound is changed and its state kept when it is there.
     *
     * @param name the zone's, or that of a further state that the zone needs
     * @param zone says how many keys it holds and what becomes of newcomers
     */
    ZoneStore open(String name, Zone zone);
}
