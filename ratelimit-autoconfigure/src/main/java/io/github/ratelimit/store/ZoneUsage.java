package io.github.ratelimit.store;

/**
 * How full a zone is.
 *
 * @param keys keys held with a state of their own
 * @param maxKeys the most keys it holds
 * @param shared decisions that were made in shared buckets, ever
 * @param full whether a newcomer would find no room
 */
public record ZoneUsage(long keys, long maxKeys, long shared, boolean full) {

    /** The part of the zone that is taken, 0 to 1. */
    public double ratio() {
        return maxKeys == 0 ? 1 : (double) keys / maxKeys;
    }
}
