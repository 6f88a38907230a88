package io.github.ratelimit.algorithm;

/**
 * So many permits per window; a window begins with the first draw after the last one ended.
 *
 * @param rate the rate as written
 * @param limit permits of one window
 * @param periodNanos the length of a window
 */
public record FixedWindow(Rate rate, long limit, long periodNanos) implements Windowed {

    /** The window of a rate: {@code 100/15m} is 100 permits in windows of 15 minutes. */
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
    public WindowState at(WindowState state, long nowNanos) {
        long elapsed = nowNanos - state.startNanos();
        if (elapsed >= periodNanos || state.isUntouched()) {
            return WindowState.untouched(nowNanos);
        }
        return elapsed < 0 ? new WindowState(nowNanos, 0, state.used()) : state;
    }

    @Override
    public Step judge(WindowState state, long cost, long nowNanos) {
        long left = Math.max(0, limit - state.used());
        long rest = state.startNanos() + periodNanos - nowNanos;
        if (cost > limit) {
            return new Step(Step.Verdict.UNAFFORDABLE, left, state.isUntouched() ? 0 : rest, Step.NEVER, 0);
        }
        if (cost > left) {
            return new Step(Step.Verdict.REFUSED, left, rest, rest, 0);
        }
        boolean whole = state.isUntouched() && cost == 0;
        return new Step(Step.Verdict.ADMITTED, left - cost, whole ? 0 : rest, 0, 0);
    }
}
