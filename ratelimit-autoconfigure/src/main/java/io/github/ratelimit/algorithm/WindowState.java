package io.github.ratelimit.algorithm;

/**
 * The state of a key that is counted in windows.
 *
 * @param startNanos when the current window began
 * @param previous permits drawn in the window before it, where the algorithm weighs them
 * @param used permits drawn in the current window
 * @param debt permits drawn when the window's quota was used up; windows to come pay them before anything else, and
 *     until then nothing is left
 */
public record WindowState(long startNanos, long previous, long used, long debt) {

    /** The state of a key that has never drawn. */
    public static WindowState untouched(long nowNanos) {
        return new WindowState(nowNanos, 0, 0, 0);
    }

    /** Whether it carries no information. */
    public boolean isUntouched() {
        return (previous | used | debt) == 0;
    }

    /** After a draw that may be made. */
    public WindowState plus(long cost) {
        return new WindowState(startNanos, previous, used + cost, debt);
    }

    /** After giving permits back: those owed first, then those of the current window. */
    public WindowState minus(long cost) {
        long fromDebt = Math.min(debt, cost);
        long fromUsed = Math.min(used, cost - fromDebt);
        long fromPrevious = Math.min(previous, cost - fromDebt - fromUsed);
        return new WindowState(startNanos, previous - fromPrevious, used - fromUsed, debt - fromDebt);
    }
}
