package io.github.ratelimit.algorithm;

/**
 * nginx's {@code limit_req}: requests leave at the rate, up to {@code burst} of them wait, the rest is refused at once.
 *
 * <p>Think of a queue that drains one request per emission interval, kept as the time at which it will be empty. The
 * request in service is not counted by {@code burst}, so that an idle bucket admits {@code burst + 1} at once; the
 * first {@code delayAfter} that would wait go straight through, as with nginx's {@code delay=N}, and with
 * {@link #NO_DELAY} all of them do, as with {@code nodelay}.
 *
 * @param rate how fast requests leave
 * @param burst how many may wait beyond the one in service
 * @param delayAfter how many of those are let straight through, {@link #NO_DELAY} for all
 * @param gcra the arithmetic of the rate and {@code burst + 1}
 */
public record LeakyBucket(Rate rate, long burst, long delayAfter, Gcra gcra) implements Algorithm {

    /** No request waits. */
    public static final long NO_DELAY = Long.MAX_VALUE;

    /**
     * A bucket of the rate and burst.
     *
     * @throws IllegalArgumentException with a sentence that follows the name of the burst's property
     */
    public static LeakyBucket of(Rate rate, long burst, long delayAfter) {
        if (burst < 0 || burst == Long.MAX_VALUE) {
            throw new IllegalArgumentException("is out of range; write how many requests may wait, 0 for none");
        }
        if (delayAfter < 0) {
            throw new IllegalArgumentException("has a negative delay-after; write how many go straight through");
        }
        return new LeakyBucket(rate, burst, delayAfter, Gcra.of(rate, burst + 1));
    }

    @Override
    public String name() {
        return "leaky-bucket";
    }

    @Override
    public long limit() {
        return gcra.burst();
    }

    @Override
    public long fillNanos() {
        return gcra.fillNanos();
    }

    /** Describes a draw that was made, with the time that it waits until it would be in service; a look never waits. */
    public Step admitted(long tatAfter, long cost, long nowNanos) {
        return admitted(tatAfter, cost, nowNanos, new Step());
    }

    /** Describes a draw that was made in the place that is given for it. */
    public Step admitted(long tatAfter, long cost, long nowNanos, Step into) {
        Step step = gcra.admitted(tatAfter, nowNanos, into);
        long delay = cost == 0 || delayAfter >= burst ? 0 : gcra.waitNanos(tatAfter, cost, delayAfter, nowNanos);
        return delay == 0 ? step : step.set(step.verdict(), step.remaining(), step.resetNanos(), 0, delay);
    }
}
