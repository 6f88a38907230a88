package io.github.ratelimit.algorithm;

import java.math.BigInteger;

/** The bucket as a textbook has it: it holds tokens, time adds some, a draw takes some. */
public final class ReferenceBucket implements Reference {

    private final ReferenceRate rate;
    private final BigInteger capacity;
    private BigInteger tokens;
    private long last;

    /** A full bucket. */
    public ReferenceBucket(Rate rate, long burst) {
        this.rate = ReferenceRate.of(rate);
        this.capacity = this.rate.parts(burst);
        this.tokens = capacity;
    }

    @Override
    public Step acquire(long cost, long at) {
        refill(at);
        BigInteger wanted = rate.parts(cost);
        boolean admitted = wanted.compareTo(tokens) <= 0;
        if (admitted) {
            tokens = tokens.subtract(wanted);
        }
        long remaining = rate.permits(tokens);
        long reset = rate.nanos(capacity.subtract(tokens));
        if (admitted) {
            return new Step(Step.Verdict.ADMITTED, remaining, reset, 0, 0);
        }
        return wanted.compareTo(capacity) > 0
                ? new Step(Step.Verdict.UNAFFORDABLE, remaining, reset, Step.NEVER, 0)
                : new Step(Step.Verdict.REFUSED, remaining, reset, rate.nanos(wanted.subtract(tokens)), 0);
    }

    @Override
    public void charge(long cost, long at) {
        refill(at);
        tokens = tokens.subtract(rate.parts(cost));
    }

    @Override
    public void refund(long cost, long at) {
        refill(at);
        tokens = tokens.add(rate.parts(cost)).min(capacity);
    }

    private void refill(long at) {
        tokens = tokens.add(rate.partsIn(at - last)).min(capacity);
        last = at;
    }
}
