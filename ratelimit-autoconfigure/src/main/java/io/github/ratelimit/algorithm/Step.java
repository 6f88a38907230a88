package io.github.ratelimit.algorithm;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the arithmetic says about one draw on one key.
 *
 * <p>Think of a bucket of 10 that holds 4: a draw of 3 is admitted, leaves {@code remaining} 1 and is whole again after
 * {@code resetNanos}, the time nine permits take. A draw of 6 is refused, leaves 4, and {@code retryNanos} is the time
 * two permits take.
 *
 * <p>Who asks may bring the object into which the arithmetic writes its answer, so that a decision allocates nothing;
 * nobody else can change it. It belongs to one thread until it is handed on.
 */
public final class Step {

    /** Longer than any wait: the draw cannot be admitted at any time. */
    public static final long NEVER = Long.MAX_VALUE;

    private Verdict verdict = Verdict.REFUSED;
    private long remaining;
    private long resetNanos;
    private long retryNanos;
    private long delayNanos;

    /** What became of a draw. */
    public enum Verdict {
        /** Drawn from the key's own state. */
        ADMITTED,
        /** Refused by the key's own state. */
        REFUSED,
        /** Refused because the cost is above what the key can ever hold. */
        UNAFFORDABLE,
        /** Drawn from a bucket shared by newcomers of a full zone. */
        ADMITTED_SHARED,
        /** Refused by a bucket shared by newcomers of a full zone. */
        REFUSED_SHARED,
        /** Refused because the zone is full and takes no newcomers. */
        REFUSED_FULL
    }

    /** A place for an answer. */
    public Step() {}

    /**
     * An answer.
     *
     * @param verdict what happened
     * @param remaining permits that could be drawn at once after this step, never negative
     * @param resetNanos nanoseconds until the quota is whole again if nobody draws
     * @param retryNanos nanoseconds until the same draw can be admitted; 0 when it was, {@link #NEVER} when no wait helps
     * @param delayNanos nanoseconds an admitted request has to wait, 0 for at once
     */
    public Step(Verdict verdict, long remaining, long resetNanos, long retryNanos, long delayNanos) {
        set(verdict, remaining, resetNanos, retryNanos, delayNanos);
    }

    Step set(Verdict verdict, long remaining, long resetNanos, long retryNanos, long delayNanos) {
        this.verdict = verdict;
        this.remaining = remaining;
        this.resetNanos = resetNanos;
        this.retryNanos = retryNanos;
        this.delayNanos = delayNanos;
        return this;
    }

    /** What happened. */
    public Verdict verdict() {
        return verdict;
    }

    /** Permits that could be drawn at once after this step, never negative. */
    public long remaining() {
        return remaining;
    }

    /** Nanoseconds until the quota is whole again if nobody draws. */
    public long resetNanos() {
        return resetNanos;
    }

    /** Nanoseconds until the same draw can be admitted; 0 when it was, {@link #NEVER} when no wait helps. */
    public long retryNanos() {
        return retryNanos;
    }

    /** Nanoseconds an admitted request has to wait, 0 for at once. */
    public long delayNanos() {
        return delayNanos;
    }

    /** Whether the draw was made. */
    public boolean admitted() {
        return verdict == Verdict.ADMITTED || verdict == Verdict.ADMITTED_SHARED;
    }

    /** Whether the key found no room of its own in a full zone. */
    public boolean foundNoRoom() {
        return verdict == Verdict.ADMITTED_SHARED
                || verdict == Verdict.REFUSED_SHARED
                || verdict == Verdict.REFUSED_FULL;
    }

    /** Says in this place that there was no room for the key, and for how long. */
    public Step full(long waitNanos) {
        return set(Verdict.REFUSED_FULL, 0, 0, waitNanos, 0);
    }

    /**
     * An admitted step that would have to wait, said where there is no place left to wait: refused for that time.
     *
     * @param cost what it drew and has got back
     */
    public Step unseated(long cost) {
        Verdict refused = verdict == Verdict.ADMITTED_SHARED ? Verdict.REFUSED_SHARED : Verdict.REFUSED;
        return new Step(refused, remaining + cost, resetNanos, delayNanos, 0);
    }

    /** The same step, said of a bucket that newcomers share. */
    public Step shared() {
        return shared(new Step());
    }

    /** The same step, said of a bucket that newcomers share, in the place that is given for it. */
    public Step shared(Step into) {
        Verdict said = switch (verdict) {
            case ADMITTED -> Verdict.ADMITTED_SHARED;
            case REFUSED -> Verdict.REFUSED_SHARED;
            default -> verdict;
        };
        return into.set(said, remaining, resetNanos, retryNanos, delayNanos);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Step step
                && verdict == step.verdict
                && remaining == step.remaining
                && resetNanos == step.resetNanos
                && retryNanos == step.retryNanos
                && delayNanos == step.delayNanos;
    }

    @Override
    public int hashCode() {
        return Objects.hash(verdict, remaining, resetNanos, retryNanos, delayNanos);
    }

    @Override
    public String toString() {
        return verdict + ": " + remaining + " left, whole in " + resetNanos + " ns, retry in " + retryNanos
                + " ns, delayed " + delayNanos + " ns";
    }
}
