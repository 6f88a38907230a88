package io.github.ratelimit.store.redis;

import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.algorithm.WindowState;
import io.github.ratelimit.algorithm.Windowed;

/**
 * The units in which Redis keeps a window: of 2<sup>exponent</sup> microseconds, 8192 to 16383 to a window. A window
 * begins on a whole unit, so that it is shorter by less than 0.013 %.
 *
 * @param micros the length of a window
 * @param exponent says how long a unit is
 */
record WindowScale(long micros, int exponent) {

    private static final int BITS = 13;

    /** The units of a window. */
    static WindowScale of(Windowed windowed) {
        long micros = Math.max(1, (windowed.periodNanos() + 999) / 1000);
        return new WindowScale(micros, Math.max(0, Long.SIZE - 1 - BITS - Long.numberOfLeadingZeros(micros)));
    }

    /**
     * Describes a draw.
     *
     * @param admitted what Redis decided
     * @param drawn permits drawn in the window, what is owed included
     */
    static Step step(Windowed windowed, boolean admitted, long elapsedMicros, long before, long drawn, long cost) {
        long used = Math.min(drawn, windowed.limit());
        WindowState state = new WindowState(-1000 * elapsedMicros, before, used, drawn - used);
        Step step = windowed.judge(state, cost, 0);
        if (step.admitted() == admitted) {
            return step;
        }
        // decided within the rounding of a microsecond
        return admitted
                ? new Step(Step.Verdict.ADMITTED, 0, step.resetNanos(), 0, 0)
                : new Step(Step.Verdict.REFUSED, 0, step.resetNanos(), 1000, 0);
    }
}
