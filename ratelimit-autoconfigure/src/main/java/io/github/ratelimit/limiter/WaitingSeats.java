package io.github.ratelimit.limiter;

/** The bounded number of places for requests and calls that wait. Safe for use by many threads. */
public interface WaitingSeats {

    /** Takes a seat; false when there is none left. Who took one has to use it or give it back. */
    boolean take();

    /** Gives a seat back. */
    void giveBack();
}
