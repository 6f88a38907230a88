package io.github.ratelimit.store.redis;

import io.github.ratelimit.store.StoreUnavailableException;
import io.github.ratelimit.store.StoreUnavailableException.Kind;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/** Says of what kind a failure is. */
final class Failures {

    /** What errors of a server begin with; Redis 6 puts other words before it where a script ran into one. */
    private record Prefix(String text, Kind kind) {}

    private static final List<Prefix> PREFIXES = List.of(
            new Prefix("OOM ", Kind.OUT_OF_MEMORY),
            new Prefix("READONLY", Kind.READ_ONLY),
            new Prefix("NOREPLICAS", Kind.READ_ONLY),
            new Prefix("LOADING", Kind.BUSY),
            new Prefix("BUSY ", Kind.BUSY),
            new Prefix("MASTERDOWN", Kind.BUSY),
            new Prefix("CLUSTERDOWN", Kind.BUSY),
            new Prefix("TRYAGAIN", Kind.BUSY),
            new Prefix("MOVED", Kind.BUSY),
            new Prefix("ASK ", Kind.BUSY),
            new Prefix("NOAUTH", Kind.FORBIDDEN),
            new Prefix("NOPERM", Kind.FORBIDDEN),
            new Prefix("WRONGPASS", Kind.FORBIDDEN));

    private Failures() {}

    /** The failure as callers of the store know it. */
    static StoreUnavailableException of(Throwable thrown) {
        Throwable cause = thrown;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return new StoreUnavailableException(kind(cause), message(cause), cause);
    }

    private static Kind kind(Throwable cause) {
        for (Throwable each = cause; each != null; each = each.getCause()) {
            if (each instanceof RedisCommandExecutionException) {
                return kindOfError(String.valueOf(each.getMessage()));
            }
            if (each instanceof TimeoutException || each instanceof RedisCommandTimeoutException) {
                return Kind.TIMEOUT;
            }
        }
        return cause instanceof RedisException || cause instanceof IOException ? Kind.UNREACHABLE : Kind.ERROR;
    }

    private static Kind kindOfError(String message) {
        for (Prefix prefix : PREFIXES) {
            if (message.startsWith(prefix.text)
                    || message.contains(" -" + prefix.text)
                    || message.contains(": " + prefix.text)) {
                return prefix.kind;
            }
        }
        return message.toLowerCase(Locale.ROOT).contains("acl failure") ? Kind.FORBIDDEN : Kind.ERROR;
    }

    private static String message(Throwable cause) {
        Throwable root = cause;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        String message = root.getMessage();
        return message == null ? root.getClass().getSimpleName() : message;
    }
}
