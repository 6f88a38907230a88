package io.github.ratelimit.limiter;

import java.util.concurrent.atomic.LongAdder;

/** Requests that one rule let through or refused since the application started. Safe for use by many threads. */
public final class RuleStatistics {

    private final LongAdder permitted = new LongAdder();
    private final LongAdder rejected = new LongAdder();

    /** Counts one request. */
    public void count(boolean admitted) {
        (admitted ? permitted : rejected).increment();
    }

    /** Requests let through, in dry run too. */
    public long permitted() {
        return permitted.sum();
    }

    /** Requests refused. */
    public long rejected() {
        return rejected.sum();
    }
}
