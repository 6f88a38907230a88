package io.github.ratelimit.algorithm;

import java.math.BigInteger;

/**
 * {@code ngx_http_limit_req_module}, with fractions instead of thousandths and nanoseconds instead of milliseconds: the
 * <em>excess</em> of a request is how many are before it, not counting the one in service.
 *
 * <p>{@code excess = max(excess - rate * elapsed + 1, 0)}, and 0 for a new key; refused when it is above {@code burst};
 * made to wait for {@code (excess - delay) / rate} when it is above {@code delay}. A draw of several permits is so many
 * requests at once, of which the first says how long all wait; a draw of none waits for nothing. Here an idle key has an excess of -1, so that the next
 * request has 0.
 */
public final class ReferenceQueue implements Reference {

    private final ReferenceRate rate;
    private final BigInteger burst;
    private final BigInteger delay;
    private final BigInteger idle;
    private BigInteger excess;
    private long last;

    /**
     * An idle queue.
     *
     * @param delay nginx's word, {@link Long#MAX_VALUE} for {@code nodelay}
     */
    public ReferenceQueue(Rate rate, long burst, long delay) {
        this.rate = ReferenceRate.of(rate);
        this.burst = this.rate.parts(burst);
        this.delay = this.rate.parts(delay);
        this.idle = this.rate.parts(-1);
        this.excess = idle;
    }

    @Override
    public Step acquire(long cost, long at) {
        drain(at);
        BigInteger first = excess.add(rate.parts(1));
        BigInteger last = excess.add(rate.parts(cost));
        if (last.compareTo(burst) > 0) {
            boolean ever = rate.parts(cost - 1).compareTo(burst) <= 0;
            return new Step(
                    ever ? Step.Verdict.REFUSED : Step.Verdict.UNAFFORDABLE,
                    rate.permits(burst.subtract(excess)),
                    rate.nanos(excess.subtract(idle)),
                    ever ? rate.nanos(last.subtract(burst)) : Step.NEVER,
                    0);
        }
        excess = last;
        return new Step(
                Step.Verdict.ADMITTED,
                rate.permits(burst.subtract(excess)),
                rate.nanos(excess.subtract(idle)),
                0,
                cost == 0 ? 0 : rate.nanos(first.subtract(delay).max(BigInteger.ZERO)));
    }

    @Override
    public void charge(long cost, long at) {
        drain(at);
        excess = excess.add(rate.parts(cost));
    }

    @Override
    public void refund(long cost, long at) {
        drain(at);
        excess = excess.subtract(rate.parts(cost)).max(idle);
    }

    private void drain(long at) {
        excess = excess.subtract(rate.partsIn(at - last)).max(idle);
        last = at;
    }
}
