package io.github.ratelimit.algorithm;

import org.jspecify.annotations.Nullable;

/**
 * At most so many requests of one key in flight. There is no rate: a permit comes back when its request ends.
 *
 * @param limit the most permits of one key in use at once
 */
public record Concurrency(long limit) implements Algorithm {

    /** When a slot will be free is not known: who is refused is told to come back in a second. */
    private static final long RETRY_NANOS = 1_000_000_000L;

    /** Checks the limit. */
    public Concurrency {
        if (limit < 1) {
            throw new IllegalArgumentException("is below 1; write how many requests of one key may be in flight");
        }
    }

    @Override
    public String name() {
        return "concurrency";
    }

    @Override
    public @Nullable Rate rate() {
        return null;
    }

    @Override
    public long fillNanos() {
        return 0;
    }

    /**
     * Judges a request.
     *
     * @param inUse permits in use before it
     * @param cost permits it needs
     */
    public Step judge(long inUse, long cost) {
        return judge(inUse, cost, new Step());
    }

    /** Judges a request in the place that is given for it. */
    public Step judge(long inUse, long cost, Step into) {
        long left = Math.max(0, limit - inUse);
        if (cost > limit) {
            return into.set(Step.Verdict.UNAFFORDABLE, left, inUse == 0 ? 0 : RETRY_NANOS, Step.NEVER, 0);
        }
        if (cost > left) {
            return into.set(Step.Verdict.REFUSED, left, RETRY_NANOS, RETRY_NANOS, 0);
        }
        return into.set(Step.Verdict.ADMITTED, left - cost, inUse + cost == 0 ? 0 : RETRY_NANOS, 0, 0);
    }
}
