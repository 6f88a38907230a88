package io.github.ratelimit.policy;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.key.RateLimitKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a zone: its overrides come first, then what the application provides for a key, then the schedule, then
 * its own limit.
 *
 * @param own the zone's own limit
 * @param overrides what is written for certain keys
 * @param provided what the application says of certain keys
 * @param schedule other limits at certain times, {@code null} for none
 * @param others every limit that overrides and schedule may put in the place of the own one, each with where it is written
 */
public record Limits(
        Allowance own,
        KeyedAllowances overrides,
        KeyedAllowances provided,
        @Nullable Schedule schedule,
        List<Written> others) {

    /**
     * A limit and the full name of the property under which it is written.
     *
     * @param where the full name
     * @param algorithm the limit
     */
    public record Written(String where, Algorithm algorithm) {}

    /** Copies the list. */
    public Limits {
        others = List.copyOf(others);
    }

    /** One limit for every key and at all times. */
    public static Limits of(Algorithm algorithm) {
        return new Limits(Allowance.limited(algorithm), KeyedAllowances.NONE, KeyedAllowances.NONE, null, List.of());
    }

    /** The same limits but for the own one. */
    public Limits owning(Algorithm algorithm) {
        return new Limits(Allowance.limited(algorithm), overrides, provided, schedule, others);
    }

    /** The same limits with those that the application says. */
    public Limits provided(KeyedAllowances source) {
        return new Limits(own, overrides, source, schedule, others);
    }

    /** What a key is granted now; {@code null} for a request that has none. */
    public Allowance of(@Nullable RateLimitKey key) {
        Allowance found = key == null ? null : overrides.find(key);
        if (found == null && key != null) {
            found = provided.find(key);
        }
        if (found == null && schedule != null) {
            found = schedule.now();
        }
        return found != null ? found : own;
    }
}
