package io.github.ratelimit;

/**
 * A call was refused by {@link RateLimited @RateLimited}. Unhandled at the web layer it becomes the same answer as a
 * refusal by the filter.
 */
public class RateLimitExceededException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Decision decision;

    /**
     * A refusal.
     *
     * @param decision what was decided, and by which zone
     */
    public RateLimitExceededException(Decision decision) {
        // no stack trace: refusals are frequent exactly when there is no time to spare
        super(
                "Refused by zone '" + decision.zone() + "'"
                        + (decision.retryAfter() == null ? "" : ", retry after " + decision.retryAfter()),
                null,
                false,
                false);
        this.decision = decision;
    }

    /** What was decided, and by which zone. */
    public Decision decision() {
        return decision;
    }
}
