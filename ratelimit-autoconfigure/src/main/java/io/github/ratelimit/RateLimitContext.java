package io.github.ratelimit;

import java.util.List;

/**
 * What was decided about the request at hand, and the way to settle costs that are known only after the work.
 *
 * <p>A request attribute under {@link #ATTRIBUTE}, and an argument of any handler method that declares one. Safe for
 * use by many threads, and after the response has been sent.
 */
public interface RateLimitContext {

    /** The request attribute. */
    String ATTRIBUTE = "io.github.ratelimit.RateLimitContext";

    /** The decisions so far, in the order in which they were made; empty when nothing limits the request. */
    List<Decision> decisions();

    /**
     * Draws more permits from every zone that the request has paid, whether or not there are any left: a key that goes
     * into debt is refused until the debt is paid. Zones of concurrency are left out.
     *
     * @param permits 0 or more
     * @throws IllegalArgumentException when negative
     */
    void charge(long permits);

    /**
     * Draws more permits from one zone.
     *
     * @param zone a zone that the request has paid
     * @param permits 0 or more
     * @throws IllegalArgumentException when the request has not paid this zone, or when negative
     */
    void charge(String zone, long permits);

    /**
     * Gives permits back to every zone that the request has paid: at most what it paid there. Zones of concurrency are
     * left out: their permits come back when the request ends.
     *
     * @param permits 0 or more
     * @throws IllegalArgumentException when negative
     */
    void refund(long permits);

    /**
     * Gives permits back to one zone: at most what the request paid there.
     *
     * @param zone a zone that the request has paid
     * @param permits 0 or more
     * @throws IllegalArgumentException when the request has not paid this zone, or when negative
     */
    void refund(String zone, long permits);
}
