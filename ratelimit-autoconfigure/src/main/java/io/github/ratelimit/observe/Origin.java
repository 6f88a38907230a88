package io.github.ratelimit.observe;

import org.jspecify.annotations.Nullable;

/**
 * What led to a decision. Read on the thread of the request, and only where something is refused; what it says is whatever
 * the client has sent.
 */
public interface Origin {

    /** A call that no request led to. */
    Origin UNKNOWN = new Origin() {};

    /** The name of the rule, or of the annotated method; {@code null} when it is not known. */
    default @Nullable String rule() {
        return null;
    }

    /** The verb as it was sent; {@code null} without a request. */
    default @Nullable String method() {
        return null;
    }

    /** The path as it was sent, without the query; {@code null} without a request. */
    default @Nullable String path() {
        return null;
    }

    /** What the client says it is; {@code null} when it does not. */
    default @Nullable String userAgent() {
        return null;
    }
}
