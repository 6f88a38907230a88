package io.github.ratelimit;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What was decided about a request or a call, and by which zone.
 *
 * <p>Of several zones the one that decided is named: the zone with the longest retry-after of those that refused, else
 * the zone with the fewest permits left.
 *
 * @param outcome what happened
 * @param zone the zone that decided
 * @param reason why it was refused; {@code null} when it was not, unless it was admitted uncounted because the store
 *     failed: then {@link Reason#STORE_FAILURE}, and there is no quota to tell of
 * @param limit the quota: the most permits one key may draw at once; {@link #UNLIMITED} when nothing is counted for it
 * @param remaining permits that could be drawn at once after this decision, never negative; as {@code limit} when that
 *     is unlimited
 * @param window how long an empty quota takes to be whole; zero where it comes back only when requests end
 * @param resetAfter how long until this key's quota is whole if nobody draws
 * @param retryAfter the earliest time at which the same request can be admitted if nobody else draws on the key;
 *     {@code null} when it was admitted, or when no wait would help
 * @param delay how long an admitted request has to wait, zero for at once
 */
public record Decision(
        Outcome outcome,
        String zone,
        @Nullable Reason reason,
        long limit,
        long remaining,
        Duration window,
        Duration resetAfter,
        @Nullable Duration retryAfter,
        Duration delay) {

    /** The quota of a key that an override frees from the limit. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    /** What became of a request or a call. */
    public enum Outcome {
        /** Admitted at once. */
        PERMITTED,
        /** Admitted after a wait. */
        DELAYED,
        /** Refused. */
        REJECTED,
        /** Admitted although it would have been refused: the zone, its rule or everything is in dry run. */
        DRY_RUN_REJECTED
    }

    /** Why a request or a call was refused. */
    public enum Reason {
        /** The key has used up its quota. */
        LIMIT,
        /** The zone is full, and the bucket that newcomers share is used up. */
        SHARED,
        /** The zone is full and takes no newcomers. */
        FULL,
        /** The key is banned. */
        PENALTY,
        /** The store of the zone did not answer. */
        STORE_FAILURE,
        /** The key is on the deny list. */
        DENIED,
        /** The request has no key, and the zone says to refuse it. */
        MISSING_KEY,
        /** The cost is above what the quota can ever hold. */
        COST
    }

    /**
     * Whether the zone's state was counted on; not when it was admitted because the store of the zone failed, when the key
     * is unlimited, or when it is on the deny list: then there is no quota to tell of.
     */
    public boolean counted() {
        boolean unasked = permitted() && reason == Reason.STORE_FAILURE;
        return !unasked && reason != Reason.DENIED && limit != UNLIMITED;
    }

    /** Whether the request or call goes on. */
    public boolean permitted() {
        return outcome != Outcome.REJECTED;
    }
}
