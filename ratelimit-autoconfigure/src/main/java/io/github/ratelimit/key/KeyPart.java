package io.github.ratelimit.key;

import org.jspecify.annotations.Nullable;

/**
 * One resolver of a zone's key: {@code client-ip}, {@code header:X-Api-Key} and so on.
 *
 * <p>Safe for use by many threads.
 */
public interface KeyPart {

    /** The resolver as it is written in the configuration. */
    String name();

    /** Whether it needs the identity that Spring Security establishes. */
    default boolean needsIdentity() {
        return false;
    }

    /** Whether all its keys are addresses of clients. */
    default boolean countsAddresses() {
        return false;
    }

    /** Who this request counts for; {@code null} when it has no such value, or an empty one. */
    @Nullable
    RateLimitKey resolve(RequestView view);

    /**
     * The key of a value as a person writes it.
     *
     * @throws IllegalArgumentException when no request can have this value
     */
    RateLimitKey ofRaw(String raw);
}
