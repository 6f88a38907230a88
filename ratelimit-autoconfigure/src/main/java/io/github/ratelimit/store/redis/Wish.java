package io.github.ratelimit.store.redis;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Concurrency;
import io.github.ratelimit.store.Demand;

/**
 * A demand on its way to Redis.
 *
 * @param demand what is wanted
 * @param key where its state lies
 * @param most permits to draw if there are so many, at least the demand's cost
 * @param lease number of the lease that a slot is taken under, 0 where none is
 */
record Wish(Demand demand, RedisKey key, long most, long lease) {

    /** Whether it is kept as a set of slots rather than a number. */
    boolean isSlot() {
        return demand.algorithm() instanceof Concurrency;
    }

    /** The same wish for another number of permits. */
    Wish drawing(long permits) {
        Demand other = permits == demand.cost()
                ? demand
                : new Demand(
                        demand.zone(), demand.key(), demand.algorithm(), permits, demand.enforced(), demand.lease());
        return new Wish(other, key, permits, lease);
    }

    /** The same wish under another limit. */
    Wish under(Algorithm algorithm) {
        Demand other =
                new Demand(demand.zone(), demand.key(), algorithm, demand.cost(), demand.enforced(), demand.lease());
        return algorithm == demand.algorithm() ? this : new Wish(other, key, most, lease);
    }

    /** The same wish, fetching ahead if there is more. */
    Wish fetching(long permits) {
        return new Wish(demand, key, permits, lease);
    }
}
