package io.github.ratelimit.store;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * A shared store gave no answer. Has no stack trace: under an outage there may be one for each request.
 *
 * <p>What was asked may have been done all the same, unless the {@link Kind} says that it never left this instance.
 */
public final class StoreUnavailableException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final Kind kind;

    /** How a store fails. */
    public enum Kind {
        /** There is no connection. */
        UNREACHABLE,
        /** No answer came in time. */
        TIMEOUT,
        /** It has failed so often that it is not asked at the moment. */
        NOT_ASKED,
        /** It is starting, busy with a script, or changing its master. */
        BUSY,
        /** It has no memory left for another key. */
        OUT_OF_MEMORY,
        /** It is a replica, which takes no writes. */
        READ_ONLY,
        /** It does not let this user do it. */
        FORBIDDEN,
        /** It answered with another error. */
        ERROR
    }

    /** No answer, for this reason. */
    public StoreUnavailableException(Kind kind, String message, @Nullable Throwable cause) {
        super(message, cause, false, false);
        this.kind = kind;
    }

    /** How it failed. */
    public Kind kind() {
        return kind;
    }
}
