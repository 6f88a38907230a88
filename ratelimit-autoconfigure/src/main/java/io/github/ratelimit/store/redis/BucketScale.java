package io.github.ratelimit.store.redis;

import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.algorithm.Step;
import java.math.BigInteger;

/**
 * The units in which Redis keeps the bucket of a rate: a permit takes 2048 to 4095 units of
 * 2<sup>exponent - 11</sup> microseconds, its time rounded down by less than 0.05 %.
 *
 * @param permit units of one permit
 * @param exponent says how long a unit is
 */
record BucketScale(int permit, int exponent) {

    /** Buckets go around a circle of 10<sup>14</sup> units, half of which lies ahead; a debt needs room, too. */
    private static final long MAX_LEVEL = 25_000_000_000_000L;

    private static final int BITS = 11;
    /** A unit is 125 / 2<sup>8 - exponent</sup> nanoseconds. */
    private static final int NANO_BITS = 8;

    /** The units of a rate. */
    static BucketScale of(Rate rate) {
        long permits = 1000 * rate.permits();
        long micros = rate.periodNanos() / permits;
        int exponent = Long.SIZE - 1 - Long.numberOfLeadingZeros(micros);
        return new BucketScale(permit(rate.periodNanos(), permits, exponent), exponent);
    }

    private static int permit(long periodNanos, long permits, int exponent) {
        if (exponent >= BITS) {
            return (int) ((periodNanos >> (exponent - BITS)) / permits);
        }
        int shift = BITS - exponent;
        return Long.numberOfLeadingZeros(periodNanos) > shift
                ? (int) ((periodNanos << shift) / permits)
                : BigInteger.valueOf(periodNanos)
                        .shiftLeft(shift)
                        .divide(BigInteger.valueOf(permits))
                        .intValueExact();
    }

    /** The largest burst that fits. */
    long maxBurst() {
        return MAX_LEVEL / permit;
    }

    /** Describes a draw that was made. */
    Step admitted(long level, long burst, long delayNanos) {
        return new Step(Step.Verdict.ADMITTED, remaining(level, burst), nanos(level), 0, delayNanos);
    }

    /** Describes a draw that may not be made. */
    Step refused(long level, long cost, long burst, long waitMicros) {
        return cost > burst
                ? new Step(Step.Verdict.UNAFFORDABLE, remaining(level, burst), nanos(level), Step.NEVER, 0)
                : new Step(
                        Step.Verdict.REFUSED,
                        remaining(level, burst),
                        nanos(level),
                        Math.multiplyExact(waitMicros, 1000L),
                        0);
    }

    /** How long a request waits that some go before, given the bucket after it. */
    long waitNanos(long level, long ahead) {
        return nanos(Math.max(0, level - ahead * permit));
    }

    private long remaining(long level, long burst) {
        return Math.max(0, burst * permit - level) / permit;
    }

    /** Rounded up, for who waits this long has to have waited long enough; at most three hundred years. */
    private long nanos(long units) {
        if (exponent >= NANO_BITS) {
            int shift = exponent - NANO_BITS;
            return units * 125 > Long.MAX_VALUE >> shift ? Long.MAX_VALUE / 2 : units * 125 << shift;
        }
        int shift = NANO_BITS - exponent;
        return (units * 125 + (1L << shift) - 1) >> shift;
    }
}
