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

    /**
     * The window of a rate: {@code 100/15m} is 100 permits in any 15 minutes.
     *
     * @throws IllegalArgumentException as {@link Rate#windowNanos()}
     */
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
    public boolean weighsPrevious() {
        return true;
    }

    @Override
    public long weight(WindowState state, long nowNanos) {
        return ceilOfProduct(state.previous(), rest(state, nowNanos), periodNanos);
    }

    @Override
    public Step judge(WindowState state, long cost, long nowNanos, Step into) {
        long left = Math.max(0, limit - state.used() - weight(state, nowNanos));
        long rest = rest(state, nowNanos);
        if (cost > left) {
            long reset = reset(state, state.used(), rest);
            return cost > limit
                    ? into.set(Step.Verdict.UNAFFORDABLE, left, reset, Step.NEVER, 0)
                    : into.set(Step.Verdict.REFUSED, left, reset, retry(state, cost, rest), 0);
        }
        return into.set(Step.Verdict.ADMITTED, left - cost, reset(state, state.used() + cost, rest), 0, 0);
    }

    private long rest(WindowState state, long nowNanos) {
        return state.startNanos() + periodNanos - nowNanos;
    }

    private long reset(WindowState state, long used, long rest) {
        if (used > 0) {
            return rest + windowsUntil(state.debt(), 0) * periodNanos;
        }
        return state.previous() > 0 ? rest : 0;
    }

    /** The wait until the overlap has shrunk enough, in this window or in the first that has paid enough of a debt. */
    private long retry(WindowState state, long cost, long rest) {
        long room = limit - state.used() - cost;
        if (room >= 0) {
            return rest - overlap(room, state.previous());
        }
        long windows = windowsUntil(state.debt(), limit - cost);
        long roomThere = limit - owed(state.debt(), windows) - cost;
        return rest + windows * periodNanos - overlap(roomThere, previous(state, windows));
    }

    /** The longest overlap, in nanoseconds, at which the count weighs no more than the room. */
    private long overlap(long room, long count) {
        return count <= room ? periodNanos : floorOfProduct(room, periodNanos, count);
    }

    private static long ceilOfProduct(long a, long b, long divisor) {
        if (Math.multiplyHigh(a, b) == 0 && a * b >= 0) {
            return a * b / divisor + (a * b % divisor == 0 ? 0 : 1);
        }
        BigInteger[] exact = product(a, b).divideAndRemainder(BigInteger.valueOf(divisor));
        return exact[0].longValueExact() + exact[1].signum();
    }

    private static long floorOfProduct(long a, long b, long divisor) {
        return Math.multiplyHigh(a, b) == 0 && a * b >= 0
                ? a * b / divisor
                : product(a, b).divide(BigInteger.valueOf(divisor)).longValueExact();
    }

    private static BigInteger product(long a, long b) {
        return BigInteger.valueOf(a).multiply(BigInteger.valueOf(b));
    }
}
