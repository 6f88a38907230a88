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
 *     failed: then {@link Reason#STORE_FAILURE}
 * @param limit the quota: the most permits one key may draw at once; {@link #UNLIMITED} when nothing is counted for it
 * @param remaining permits that could be drawn at once after this decision, never negative; as {@code limit} when that
 *     is unlimited
 * @param window how long an empty quota takes to be whole; zero where it comes back only when requests end
 * @param resetAfter how long until this key's quota is whole if nobody draws; for a banned key not before its ban ends
 * @param retryAfter the earliest time at which the same request can be admitted if nobody else draws on the key, the ban that
 *     this refusal led to and the quota behind a ban included; {@code null} when it was admitted, or when no wait would help
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
     * Whether it rests on a quota that the key has in the zone, so that limit, remaining and reset can be told. It does not
     * when the key is unlimited, missing, on the deny list, or banned for good; when the full zone takes no newcomers; or when
     * the store of the zone failed, whether that admitted or refused it.
     */
    public boolean counted() {
        if (limit == UNLIMITED || reason == null) {
            return limit != UNLIMITED;
        }
        return switch (reason) {
            // only a ban for good leaves these without a wait
            case LIMIT, PENALTY -> retryAfter != null;
            case SHARED, COST -> true;
            case FULL, STORE_FAILURE, DENIED, MISSING_KEY -> false;
        };
    }

    /** Whether the request or call goes on. */
    public boolean permitted() {
        return outcome != Outcome.REJECTED;
    }
}
