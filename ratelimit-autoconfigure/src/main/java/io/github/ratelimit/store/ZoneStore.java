package io.github.ratelimit.store;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.key.RateLimitKey;

/**
 * The keyed state of one zone.
 *
 * <p>The store supplies the time, so that one clock decides. State is consumption, never configuration: the algorithm
 * comes with each call, and a changed one neither refills nor resets a key. Safe for use by many threads.
 */
public interface ZoneStore {

    /**
     * Draws permits, all or none. A refused draw changes nothing.
     *
     * @param key who draws
     * @param algorithm the limit in force for this key
     * @param cost permits to draw, at least 1
     */
    default Step acquire(RateLimitKey key, Algorithm algorithm, long cost) {
        return acquire(key, algorithm, cost, new Step());
    }

    /**
     * Draws permits, all or none, without allocating anything for a key that is known; only an admitted draw from a
     * window makes its next state.
     *
     * @param into a place for the answer, which may be left unused
     * @return the answer
     */
    Step acquire(RateLimitKey key, Algorithm algorithm, long cost, Step into);

    /** What {@link #acquire} would say; changes nothing. A cost of 0 tells what the key has now. */
    Step peek(RateLimitKey key, Algorithm algorithm, long cost);

    /**
     * Draws more permits, whether or not there are any left: the key may go into debt. The limit in force may have
     * changed since the first were drawn; the key stays under it.
     *
     * @param algorithm the limit under which they were drawn
     * @param drawn what {@link #acquire} said when the first of them were drawn: it tells from whose state
     */
    void charge(RateLimitKey key, Algorithm algorithm, long cost, Step drawn);

    /**
     * Gives back permits that were drawn; a key never holds more than its quota. The limit in force may have changed
     * since; the key stays under it.
     *
     * @param algorithm the limit under which they were drawn
     * @param drawn what {@link #acquire} said when they were drawn: it tells from whose state
     */
    void refund(RateLimitKey key, Algorithm algorithm, long cost, Step drawn);

    /**
     * Forgets a key's own state: it is as if it had never drawn from it. Permits of a concurrency limit that are in use
     * stay counted: they come back when their requests end.
     */
    void forget(RateLimitKey key);

    /** How full the zone is. */
    ZoneUsage usage();
}
