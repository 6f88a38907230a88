package io.github.ratelimit.algorithm;

import java.math.BigInteger;

/**
 * A rate in exact fractions: {@code partsPerPermit} make a permit, and {@code partsPerNano} of them come back in a
 * nanosecond.
 */
record ReferenceRate(BigInteger partsPerPermit, BigInteger partsPerNano) {

    static ReferenceRate of(Rate rate) {
        BigInteger permits = BigInteger.valueOf(rate.permits());
        BigInteger finest = BigInteger.valueOf(Gcra.MAX_UNITS_PER_NANO);
        // finer rates have their interval cut to a 32nd of a nanosecond, as Gcra says
        return permits.compareTo(finest) <= 0
                ? new ReferenceRate(BigInteger.valueOf(rate.periodNanos()), permits)
                : new ReferenceRate(
                        BigInteger.valueOf(rate.periodNanos()).multiply(finest).divide(permits), finest);
    }

    BigInteger parts(long permits) {
        return partsPerPermit.multiply(BigInteger.valueOf(permits));
    }

    BigInteger partsIn(long nanos) {
        return partsPerNano.multiply(BigInteger.valueOf(nanos));
    }

    /** Whole permits, never negative. */
    long permits(BigInteger parts) {
        return parts.max(BigInteger.ZERO).divide(partsPerPermit).longValueExact();
    }

    /** Nanoseconds in which so much comes back, rounded up. */
    long nanos(BigInteger parts) {
        BigInteger[] result = parts.divideAndRemainder(partsPerNano);
        return result[0].add(BigInteger.valueOf(result[1].signum())).longValueExact();
    }
}
