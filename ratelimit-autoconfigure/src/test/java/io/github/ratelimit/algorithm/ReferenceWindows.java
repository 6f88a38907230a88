package io.github.ratelimit.algorithm;

import java.math.BigInteger;
import java.util.TreeMap;
import java.util.function.LongPredicate;

/**
 * Windows as a list: which window has drawn how much. A draw beyond a window's quota is written into the windows to
 * come. Waits are found by trying: halve the time until the nanosecond is known at which it works.
 */
public final class ReferenceWindows implements Reference {

    private final long limit;
    private final long period;
    private final boolean sliding;
    private final TreeMap<Long, Long> drawn = new TreeMap<>();
    /** When window 0 begins: at the first draw when nothing was counted any more. */
    private long start;

    /**
     * A key that has never drawn.
     *
     * @param sliding whether the previous window counts by its share of the last period
     */
    public ReferenceWindows(long limit, long period, boolean sliding) {
        this.limit = limit;
        this.period = period;
        this.sliding = sliding;
    }

    @Override
    public Step acquire(long cost, long at) {
        begin(at);
        boolean admitted = cost <= left(at);
        long retry = admitted ? 0 : cost > limit ? Step.NEVER : wait(at, time -> cost <= left(time));
        if (admitted) {
            add(window(at), cost);
        }
        long reset = wait(at, time -> !counts(time));
        Step.Verdict refusal = cost > limit ? Step.Verdict.UNAFFORDABLE : Step.Verdict.REFUSED;
        return new Step(admitted ? Step.Verdict.ADMITTED : refusal, left(at), reset, retry, 0);
    }

    @Override
    public void charge(long cost, long at) {
        begin(at);
        long rest = cost;
        for (long window = window(at); rest > 0; window++) {
            long part = Math.min(rest, limit - drawn(window));
            add(window, part);
            rest -= part;
        }
    }

    @Override
    public void refund(long cost, long at) {
        begin(at);
        long rest = cost;
        for (long window = drawn.isEmpty() ? 0 : drawn.lastKey(); rest > 0 && window >= window(at) - 1; window--) {
            long part = Math.min(rest, drawn(window));
            add(window, -part);
            rest -= part;
        }
    }

    private void begin(long at) {
        drawn.headMap(window(at) - (sliding ? 1 : 0)).clear();
        if (drawn.isEmpty()) {
            start = at;
        }
    }

    private long window(long at) {
        return (at - start) / period;
    }

    private long drawn(long window) {
        return drawn.getOrDefault(window, 0L);
    }

    private void add(long window, long permits) {
        long sum = drawn(window) + permits;
        if (sum == 0) {
            drawn.remove(window);
        } else {
            drawn.put(window, sum);
        }
    }

    private long left(long at) {
        return Math.max(0, limit - drawn(window(at)) - weight(at));
    }

    /** Whether anything is counted then or later. */
    private boolean counts(long at) {
        return !drawn.isEmpty() && drawn.lastKey() >= window(at) - (sliding ? 1 : 0);
    }

    private long weight(long at) {
        long rest = period - (at - start) % period;
        BigInteger[] share = BigInteger.valueOf(sliding ? drawn(window(at) - 1) : 0)
                .multiply(BigInteger.valueOf(rest))
                .divideAndRemainder(BigInteger.valueOf(period));
        return share[0].longValueExact() + share[1].signum();
    }

    private long wait(long at, LongPredicate works) {
        if (works.test(at)) {
            return 0;
        }
        long tooShort = 0;
        long enough = (drawn.lastKey() + 2 - window(at)) * period;
        while (enough - tooShort > 1) {
            long middle = tooShort + (enough - tooShort) / 2;
            if (works.test(at + middle)) {
                enough = middle;
            } else {
                tooShort = middle;
            }
        }
        return enough;
    }
}
