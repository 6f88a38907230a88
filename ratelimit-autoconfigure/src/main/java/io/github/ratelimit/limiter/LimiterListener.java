package io.github.ratelimit.limiter;

import io.github.ratelimit.observe.Refusal;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.store.StoreUnavailableException.Kind;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Hears of what does not happen to most requests. Called on the thread of the request, by many threads at once; it should not
 * wait. What it throws is logged and goes no further.
 */
public interface LimiterListener {

    /** A draw was refused, or would have been but for a dry run. */
    default void refused(Refusal refusal) {}

    /** A draw was admitted, and the request or call has to wait for it. */
    default void delayed(Zone zone, Duration delay) {}

    /** A key was banned. */
    default void banned(KeyBanned ban) {}

    /**
     * The shared store was asked to draw.
     *
     * @param failure how it failed, {@code null} when it answered
     * @param nanos how long that took
     */
    default void asked(@Nullable Kind failure, long nanos) {}
}
