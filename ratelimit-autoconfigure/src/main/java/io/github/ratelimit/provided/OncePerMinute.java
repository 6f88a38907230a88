package io.github.ratelimit.provided;

import java.util.concurrent.atomic.AtomicLong;

/** Says when something that goes wrong may be told again: a minute after it was told last. Safe for use by many threads. */
final class OncePerMinute {

    private static final long MINUTE_NANOS = 60_000_000_000L;

    private final AtomicLong due;

    /**
     * It may be told at once.
     *
     * @param nowNanos by the clock that is asked with later
     */
    OncePerMinute(long nowNanos) {
        due = new AtomicLong(nowNanos);
    }

    /** Whether to tell it now; true for one of those who ask at the same time. */
    boolean isDue(long nowNanos) {
        long seen = due.get();
        return nowNanos - seen >= 0 && due.compareAndSet(seen, nowNanos + MINUTE_NANOS);
    }
}
