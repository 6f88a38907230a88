package io.github.ratelimit.algorithm;

import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * The bucket as a textbook has it: it holds tokens, time adds some, a draw takes some. Tokens are exact fractions:
 * {@code tokens} counts parts of which {@code partsPerPermit} make a permit and {@code partsPerNano} come back in a
 * nanosecond.
 */
final class ReferenceBucket {

    private final BigInteger partsPerNano;
    private final BigInteger partsPerPermit;
    private final BigInteger capacity;
    private BigInteger tokens;
    private @Nullable BigInteger last;

    ReferenceBucket(Rate rate, long burst) {
        BigInteger permits = BigInteger.valueOf(rate.permits());
        BigInteger finest = BigInteger.valueOf(Gcra.MAX_UNITS_PER_NANO);
        // finer rates have their interval cut to a 64th of a nanosecond, as Gcra says
        boolean exact = permits.compareTo(finest) <= 0;
        partsPerNano = exact ? permits : finest;
        partsPerPermit = exact
                ? BigInteger.valueOf(rate.periodNanos())
                : BigInteger.valueOf(rate.periodNanos()).multiply(finest).divide(permits);
        capacity = partsPerPermit.multiply(BigInteger.valueOf(burst));
        tokens = capacity;
    }

    Step acquire(long cost, BigInteger now) {
        if (last != null) {
            tokens = tokens.add(now.subtract(last).multiply(partsPerNano)).min(capacity);
        }
        last = now;
        BigInteger wanted = partsPerPermit.multiply(BigInteger.valueOf(cost));
        boolean admitted = wanted.compareTo(tokens) <= 0;
        if (admitted) {
            tokens = tokens.subtract(wanted);
        }
        long remaining = tokens.divide(partsPerPermit).longValueExact();
        long reset = nanos(capacity.subtract(tokens));
        if (admitted) {
            return new Step(Step.Verdict.ADMITTED, remaining, reset, 0, 0);
        }
        return wanted.compareTo(capacity) > 0
                ? new Step(Step.Verdict.UNAFFORDABLE, remaining, reset, Step.NEVER, 0)
                : new Step(Step.Verdict.REFUSED, remaining, reset, nanos(wanted.subtract(tokens)), 0);
    }

    private long nanos(BigInteger parts) {
        BigInteger[] result = parts.divideAndRemainder(partsPerNano);
        return result[0].add(BigInteger.valueOf(result[1].signum())).longValueExact();
    }
}
