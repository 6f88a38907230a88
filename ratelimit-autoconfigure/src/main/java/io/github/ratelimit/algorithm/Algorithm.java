package io.github.ratelimit.algorithm;

import org.jspecify.annotations.Nullable;

/** How one key's draws are judged: an algorithm with its numbers, immutable. */
public sealed interface Algorithm permits TokenBucket, LeakyBucket, Windowed, Concurrency {

    /** The name used in configuration and output. */
    String name();

    /** The rate as written, {@code null} where there is none. */
    @Nullable
    Rate rate();

    /** The quota: the most permits one key may draw at once. */
    long limit();

    /** Nanoseconds in which a whole quota comes back. A key remembers longer where it weighs windows or is in debt. */
    long fillNanos();
}
