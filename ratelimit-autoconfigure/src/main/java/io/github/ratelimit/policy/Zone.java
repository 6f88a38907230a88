package io.github.ratelimit.policy;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.key.KeyPlan;

/**
 * A named limit with its own keyed state.
 *
 * @param name the name in configuration, meters and endpoint
 * @param key how it finds who is counted
 * @param algorithm how draws are judged
 * @param maxKeys the most keys it holds
 * @param whenFull what happens to newcomers when it holds that many
 * @param dryRun whether it only counts and marks
 */
public record Zone(String name, KeyPlan key, Algorithm algorithm, int maxKeys, WhenFull whenFull, boolean dryRun) {

    /** What happens to a key that is not held when the zone is full. */
    public enum WhenFull {
        /** Newcomers are counted in a fixed set of shared buckets. */
        SHARE,
        /** Newcomers are refused. */
        REJECT
    }
}
