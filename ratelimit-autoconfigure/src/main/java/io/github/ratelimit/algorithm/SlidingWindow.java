package io.github.ratelimit.algorithm;

import java.math.BigInteger;

/**
 * So many permits in any stretch of one window's length, by the usual approximation: what the previous window drew
 * counts by the share of it that the stretch still covers.
 *
 * <p>Think of 10 per minute, 8 drawn in the previous minute and 15 seconds of this one gone: three quarters of the 8
 * still count, so 4 are left. Constant state per key.
 *
 * @param rate the rate as written
 * @param limit permits of one window
 * @param periodNanos the length of a window
 */
public record SlidingWindow(Rate rate, long limit, long periodNanos) implements Windowed {

    /** The window of a rate: {@code 100/15m} is 100 permits in any 15 minutes. */
    public static SlidingWindow of(Rate rate) {
        return new SlidingWindow(rate, rate.windowPermits(), rate.windowNanos());
    }

    @Override
    public String name() {
        return "sliding-window";
    }

    @Override
    public long fillNanos() {
        return periodNanos;
    }

    @Override
    public WindowState at(WindowState state, long nowNanos) {
        long elapsed = nowNanos - state.startNanos();
        if (elapsed < 0) {
            return new WindowState(nowNanos, state.previous(), state.used());
        }
        if (elapsed < periodNanos) {
            return state.isUntouched() ? WindowState.untouched(nowNanos) : state;
        }
        return elapsed - periodNanos < periodNanos && state.used() > 0
                ? new WindowState(state.startNanos() + periodNanos, state.used(), 0)
                : WindowState.untouched(nowNanos);
    }

    @Override
    public Step judge(WindowState state, long cost, long nowNanos) {
        long rest = state.startNanos() + periodNanos - nowNanos;
        long left = Math.max(0, limit - state.used() - ceilOfProduct(state.previous(), rest, periodNanos));
        if (cost > limit) {
            return new Step(Step.Verdict.UNAFFORDABLE, left, whole(state, rest), Step.NEVER, 0);
        }
        if (cost > left) {
            return new Step(Step.Verdict.REFUSED, left, whole(state, rest), retry(state, cost, rest), 0);
        }
        return new Step(Step.Verdict.ADMITTED, left - cost, whole(state.plus(cost), rest), 0, 0);
    }

    private long whole(WindowState state, long rest) {
        if (state.used() > 0) {
            return rest + periodNanos;
        }
        return state.previous() > 0 ? rest : 0;
    }

    /** The wait until the overlap has shrunk enough, in this window or in the next. */
    private long retry(WindowState state, long cost, long rest) {
        long room = limit - state.used() - cost;
        if (room >= 0) {
            return rest - overlap(room, state.previous());
        }
        long roomNext = limit - cost;
        return rest + (state.used() <= roomNext ? 0 : periodNanos - overlap(roomNext, state.used()));
    }

    /** The longest overlap, in nanoseconds, at which the count weighs no more than the room. */
    private long overlap(long room, long count) {
        return floorOfProduct(room, periodNanos, count);
    }

    private static long ceilOfProduct(long a, long b, long divisor) {
        if (Math.multiplyHigh(a, b) == 0 && a * b >= 0) {
            return (a * b + divisor - 1) / divisor;
        }
        return -BigInteger.valueOf(-a)
                .multiply(BigInteger.valueOf(b))
                .subtract(BigInteger.valueOf(divisor - 1))
                .divide(BigInteger.valueOf(divisor))
                .longValueExact();
    }

    private static long floorOfProduct(long a, long b, long divisor) {
        return Math.multiplyHigh(a, b) == 0 && a * b >= 0
                ? a * b / divisor
                : BigInteger.valueOf(a)
                        .multiply(BigInteger.valueOf(b))
                        .divide(BigInteger.valueOf(divisor))
                        .longValueExact();
    }
}
