package io.github.ratelimit.store.redis;

import org.jspecify.annotations.Nullable;

/**
 * Being the one who was woken. Whoever is has to wake the next in line once it has its own, unless it sets out for more: then
 * those who wait are woken when it is back. Belongs to one thread.
 */
final class Turn {

    private @Nullable Stock stock;

    /** It is our turn at this stock; no longer at another. */
    void at(Stock woken) {
        passOn();
        stock = woken;
    }

    /** Whoever waits at this stock need not be woken by us. */
    void setOut(Stock fetching) {
        if (stock == fetching) {
            stock = null;
        }
    }

    /** Wakes the next in line, if it is our turn. */
    void passOn() {
        if (stock != null) {
            stock.passOn();
            stock = null;
        }
    }
}
