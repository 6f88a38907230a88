package io.github.ratelimit.store.local;

/** The time of local zones: nanoseconds since an arbitrary moment, never the wall clock. */
@FunctionalInterface
public interface Ticker {

    /** Nanoseconds since an arbitrary moment. */
    long read();

    /** The JVM's monotonic clock, counted from now. */
    static Ticker system() {
        long origin = System.nanoTime();
        return () -> System.nanoTime() - origin;
    }
}
