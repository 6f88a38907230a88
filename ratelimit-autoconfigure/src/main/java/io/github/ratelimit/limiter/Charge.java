package io.github.ratelimit.limiter;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Concurrency;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.policy.Allowance;
import io.github.ratelimit.policy.Allowance.Grant;
import io.github.ratelimit.policy.Sharing;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.store.Demand;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One zone's part of a request: who pays how much to whom.
 *
 * @param zone the zone
 * @param key who is counted; {@code null} when the request has no key and the zone says to refuse it
 * @param cost permits, at least 1
 * @param dryRun whether a refusal only counts and marks
 * @param allowance what the key is granted: looked up once, so that a request is settled under the limit that it met
 */
public record Charge(Zone zone, @Nullable RateLimitKey key, long cost, boolean dryRun, Allowance allowance) {

    /** A charge under what the zone grants to the key now. */
    public Charge(Zone zone, @Nullable RateLimitKey key, long cost, boolean dryRun) {
        this(zone, key, cost, dryRun, zone.limits().of(key));
    }

    /** The limit in force for this key. */
    public Algorithm algorithm() {
        return allowance.algorithm();
    }

    /** Whether nothing is counted for this key. */
    boolean unlimited() {
        return allowance.grant() == Grant.UNLIMITED;
    }

    /** The same charge at another cost. */
    Charge costing(long permits) {
        return permits == cost ? this : new Charge(zone, key, permits, dryRun, allowance);
    }

    /** Whether both are paid from the same quota. */
    boolean sameAccount(Charge other) {
        return zone.name().equals(other.zone.name()) && Objects.equals(key, other.key);
    }

    /** Whether a shared store keeps its state: its zone is shared, and there is a key that has a quota. */
    boolean isShared() {
        return zone.sharing() != null && key != null && allowance.isLimited();
    }

    /** What it wants of a shared store. */
    Demand demand(long permits) {
        Sharing sharing = zone.sharing();
        return new Demand(
                zone.name(),
                Objects.requireNonNull(key),
                algorithm(),
                permits,
                !dryRun,
                sharing == null ? 1 : sharing.lease());
    }

    /** Whether its permits are only occupied, and come back when the request or call ends. */
    boolean occupies() {
        return allowance.isLimited() && algorithm() instanceof Concurrency;
    }
}
