package io.github.ratelimit.limiter;

import io.github.ratelimit.Decision.Reason;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.store.Reply;
import org.jspecify.annotations.Nullable;

/**
 * A charge, and what became of it.
 *
 * @param charge for what
 * @param step what the arithmetic said: it tells from whose state it was drawn; {@code null} when nothing was counted
 * @param reason why it was refused, or went on uncounted, where it is not the arithmetic that says so
 * @param tier who decided
 * @param reply of a shared store; {@code null} when this instance keeps the state
 */
public record Draw(
        Charge charge,
        @Nullable Step step,
        @Nullable Reason reason,
        Tier tier,
        @Nullable Reply reply) {

    /** Judged by a store of this instance. */
    static Draw of(Charge charge, Step step, Tier tier) {
        return new Draw(charge, step, null, tier, null);
    }

    /** Judged by a shared store. */
    static Draw of(Charge charge, Reply reply) {
        return new Draw(charge, reply.step(), null, reply.asked() ? Tier.REDIS : Tier.LOCAL, reply);
    }

    /** Refused because the request has no key. */
    static Draw withoutKey(Charge charge) {
        return new Draw(charge, null, Reason.MISSING_KEY, Tier.LOCAL, null);
    }

    /** Let through because nothing is counted for the key. */
    static Draw unlimited(Charge charge) {
        return new Draw(charge, null, null, Tier.LOCAL, null);
    }

    /** Let through uncounted because the store failed. */
    static Draw uncounted(Charge charge) {
        return new Draw(charge, null, Reason.STORE_FAILURE, Tier.FALLBACK, null);
    }

    /** Refused for a reason other than the arithmetic's, for so many nanoseconds or {@link Step#NEVER} to end. */
    static Draw refused(Charge charge, Reason reason, long retryNanos, Tier tier) {
        return new Draw(charge, new Step(Step.Verdict.REFUSED, 0, 0, retryNanos, 0), reason, tier, null);
    }

    /**
     * Refused because the key is banned. By the end of the ban the key's own quota may still have to come back: the longer of
     * the two waits is the one that helps.
     *
     * @param restNanos nanoseconds until the ban ends; {@link Step#NEVER} when it does not end by itself
     * @param quota what the key's own limit would say, {@code null} when it would admit or is not known
     */
    static Draw banned(Charge charge, long restNanos, @Nullable Step quota) {
        long retry = quota == null ? restNanos : Math.max(restNanos, quota.retryNanos());
        long whole = quota == null ? 0 : quota.resetNanos();
        long reset = restNanos == Step.NEVER ? whole : Math.max(restNanos, whole);
        return new Draw(charge, new Step(Step.Verdict.REFUSED, 0, reset, retry, 0), Reason.PENALTY, Tier.LOCAL, null);
    }

    /** The same draw where there is no place left to wait; what it drew was given back. */
    Draw unseated() {
        return step == null ? this : new Draw(charge, step.unseated(charge.cost()), reason, tier, null);
    }

    /** Whether it may not be made. */
    boolean refused() {
        return step == null ? reason == Reason.MISSING_KEY : !step.admitted();
    }

    /** Whether it refuses the whole request. */
    boolean refusesRequest() {
        return refused() && !charge.dryRun();
    }

    /** How long the request has to wait for it. */
    long delayNanos() {
        return step == null || charge.dryRun() ? 0 : step.delayNanos();
    }

    /** Whether permits were drawn. */
    public boolean drawn() {
        return step != null && step.admitted();
    }

    /** Whether permits were drawn that come back when the request or call ends. */
    public boolean occupies() {
        return drawn() && charge.occupies();
    }
}
