package io.github.ratelimit.sample;

import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;

/** A stock that sells until it is empty and never below. For many threads at once. */
final class FlashSale {

    private final AtomicInteger left;

    FlashSale(int stock) {
        this.left = new AtomicInteger(stock);
    }

    /** Sells one piece and says how many are left; empty when sold out. */
    OptionalInt buy() {
        int before = left.getAndUpdate(pieces -> Math.max(0, pieces - 1));
        return before > 0 ? OptionalInt.of(before - 1) : OptionalInt.empty();
    }
}
