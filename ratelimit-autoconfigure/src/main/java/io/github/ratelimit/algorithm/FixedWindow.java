package io.github.ratelimit.algorithm;

/**
 * So many permits per window; a window begins with the first draw after the last one ended.
 *
 * @param rate the rate as written
 * @param limit permits of one window
 * @param periodNanos the length of a window
 */
public record FixedWindow(Rate rate, long limit, long periodNanos) implements Windowed {

    /**
     * The window of a rate: {@code 100/15m} is 100 permits in windows of 15 minutes.
     *
     * @throws IllegalArgumentException as {@link Rate#windowNanos()}
     */
    public static FixedWindow of(Rate rate) {
        return new FixedWindow(rate, rate.windowPermits(), rate.windowNanos());
    }

    @Override
    public String name() {
        return "fixed-window";
    }

    @Override
    public long fillNanos() {
        return periodNanos;
    }

    @Override
    public boolean weighsPrevious() {
        return false;
    }

    @Override
    public long weight(WindowState state, long nowNanos) {
        return 0;
    }

    @Override
    public Step judge(WindowState state, long cost, long nowNanos, Step into) {
        long left = Math.max(0, limit - state.used());
        long rest = state.startNanos() + periodNanos - nowNanos;
        if (cost > left) {
            long reset = reset(state.used(), state.debt(), rest);
            return cost > limit
                    ? into.set(Step.Verdict.UNAFFORDABLE, left, reset, Step.NEVER, 0)
                    : into.set(Step.Verdict.REFUSED, left, reset, wait(state.debt(), limit - cost, rest), 0);
        }
        return into.set(Step.Verdict.ADMITTED, left - cost, reset(state.used() + cost, state.debt(), rest), 0, 0);
    }

    private long reset(long used, long debt, long rest) {
        return used == 0 ? 0 : wait(debt, 0, rest);
    }

    /** The wait until the first window in which no more than this is owed. */
    private long wait(long debt, long owed, long rest) {
        return rest + (windowsUntil(debt, owed) - 1) * periodNanos;
    }
}
