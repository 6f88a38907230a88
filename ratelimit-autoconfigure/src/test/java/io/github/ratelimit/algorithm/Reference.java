package io.github.ratelimit.algorithm;

/** One key under one limit, written to be obviously right: no units, no tricks, no care for speed. */
public interface Reference {

    /**
     * Draws permits, all or none.
     *
     * @param at nanoseconds since the timeline began, never less than before
     */
    Step acquire(long cost, long at);

    /** Draws permits whether or not there are any left. */
    void charge(long cost, long at);

    /** Gives permits back. */
    void refund(long cost, long at);
}
