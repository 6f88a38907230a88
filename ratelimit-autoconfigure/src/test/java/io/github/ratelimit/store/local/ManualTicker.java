package io.github.ratelimit.store.local;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** A time that passes when it is told to. */
final class ManualTicker implements Ticker {

    private final AtomicLong nanos = new AtomicLong();

    @Override
    public long read() {
        return nanos.get();
    }

    void advance(Duration duration) {
        nanos.addAndGet(duration.toNanos());
    }

    void advanceNanos(long duration) {
        nanos.addAndGet(duration);
    }
}
