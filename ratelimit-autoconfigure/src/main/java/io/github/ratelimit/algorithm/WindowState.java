package io.github.ratelimit.algorithm;

/**
 * The state of a key that is counted in windows.
 *
 * @param startNanos when the current window began
 * @param previous permits drawn in the window before it, where the algorithm weighs them
 * @param used permits drawn in the current window
 */
public record WindowState(long startNanos, long previous, long used) {

    /** The state of a key that has never drawn. */
    public static WindowState untouched(long nowNanos) {
        return new WindowState(nowNanos, 0, 0);
    }

    /** Whether it carries no information. */
    public boolean isUntouched() {
        return previous == 0 && used == 0;
    }

    /** After a draw; a debt counts beyond the quota. */
    public WindowState plus(long cost) {
        long sum = used + cost;
        return new WindowState(startNanos, previous, sum < 0 ? Long.MAX_VALUE : sum);
    }

    /** After giving permits back, those of the current window first. */
    public WindowState minus(long cost) {
        long fromUsed = Math.min(used, cost);
        return new WindowState(startNanos, Math.max(0, previous - (cost - fromUsed)), used - fromUsed);
    }
}
