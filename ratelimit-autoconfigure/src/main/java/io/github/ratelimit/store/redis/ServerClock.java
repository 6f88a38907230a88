package io.github.ratelimit.store.redis;

/**
 * Tells by which time of the server something that was asked here must have been done.
 *
 * <p>An answer that says the server's time was sent before it came: so the server was at least that far ahead of this
 * instance's clock. The best of the last seconds counts, so that neither a slow answer nor a clock that was set is
 * believed for long.
 */
final class ServerClock {

    private static final long ROUND_NANOS = 1_000_000_000L;

    private volatile long lead = Long.MIN_VALUE / 2;
    private long previous = Long.MIN_VALUE / 2;
    private long current = Long.MIN_VALUE / 2;
    private long roundEnd = System.nanoTime();

    /** Notes an answer. */
    synchronized void heard(long serverMicros, long nanos) {
        long ahead = serverMicros - nanos / 1000;
        if (nanos - roundEnd >= 0) {
            previous = current;
            current = ahead;
            roundEnd = nanos + ROUND_NANOS;
        }
        current = Math.max(current, ahead);
        lead = Math.max(previous, current);
    }

    /** The time of the server, in its microseconds, that surely comes no later than this moment here. */
    long micros(long nanos) {
        return nanos / 1000 + lead;
    }
}
