package io.github.ratelimit.policy;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Penalty;
import io.github.ratelimit.key.KeyPlan;
import org.jspecify.annotations.Nullable;

/**
 * A named limit with its own keyed state.
 *
 * @param name the name in configuration, meters and endpoint
 * @param key how it finds who is counted
 * @param limits what it grants to its keys
 * @param maxKeys the most keys it holds
 * @param whenFull what happens to newcomers when it holds that many
 * @param dryRun whether it only counts and marks
 * @param sharing how its state is shared with other instances; {@code null} when it is kept in this one
 * @param penalty what becomes of keys that are refused again and again; {@code null} for nothing
 */
public record Zone(
        String name,
        KeyPlan key,
        Limits limits,
        int maxKeys,
        WhenFull whenFull,
        boolean dryRun,
        @Nullable Sharing sharing,
        @Nullable Penalty penalty) {

    /** What happens to a key that is not held when the zone is full. */
    public enum WhenFull {
        /** Newcomers are counted in a fixed set of shared buckets. */
        SHARE,
        /** Newcomers are refused. */
        REJECT
    }

    /** A zone with one limit for all keys that is kept in this instance. */
    public Zone(String name, KeyPlan key, Algorithm algorithm, int maxKeys, WhenFull whenFull, boolean dryRun) {
        this(name, key, Limits.of(algorithm), maxKeys, whenFull, dryRun, null, null);
    }

    /** Its own limit: that of the keys for which nothing else is said, at a time for which nothing else is said. */
    public Algorithm algorithm() {
        return limits.own().algorithm();
    }

    /** The same zone with other limits. */
    public Zone limitedBy(Limits others) {
        return new Zone(name, key, others, maxKeys, whenFull, dryRun, sharing, penalty);
    }

    /** The same zone, its state shared. */
    public Zone shared(Sharing how) {
        return new Zone(name, key, limits, maxKeys, whenFull, dryRun, how, penalty);
    }

    /** The same zone, keys that are refused again and again punished. */
    public Zone punishing(@Nullable Penalty how) {
        return new Zone(name, key, limits, maxKeys, whenFull, dryRun, sharing, how);
    }
}
