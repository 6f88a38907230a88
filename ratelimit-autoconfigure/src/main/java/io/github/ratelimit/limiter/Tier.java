package io.github.ratelimit.limiter;

/** Which store decided. */
public enum Tier {
    /** This JVM. */
    LOCAL,
    /** Redis. */
    REDIS,
    /** What stands in for Redis while it fails. */
    FALLBACK
}
