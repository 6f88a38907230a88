package io.github.ratelimit.web;

import io.github.ratelimit.key.RequestPath;
import io.github.ratelimit.policy.Rule;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Prefixes, on whole segments, that are never limited, and those that are limited only where a rule names them. */
public final class ExemptPaths {

    private final List<String> never;
    private final Supplier<List<String>> unlessNamed;

    /**
     * The prefixes.
     *
     * @param never prefixes that no rule covers
     * @param unlessNamed prefixes that only rules at or below them cover, such as those of Actuator's endpoints; asked
     *     for each request, so that it should be cheap
     */
    public ExemptPaths(List<String> never, Supplier<List<String>> unlessNamed) {
        this.never = never.stream().map(ExemptPaths::normalized).toList();
        this.unlessNamed = unlessNamed;
    }

    /** Whether nothing is charged for this path although a rule matches, or none does. */
    boolean exempt(RequestPath path, @Nullable Rule rule) {
        if (covers(never, path.value()) != null) {
            return true;
        }
        String prefix = covers(unlessNamed.get(), path.value());
        return prefix != null && (rule == null || !isBelow(rule.path(), prefix));
    }

    private static @Nullable String covers(List<String> prefixes, String path) {
        for (int i = 0; i < prefixes.size(); i++) {
            if (isBelow(path, prefixes.get(i))) {
                return prefixes.get(i);
            }
        }
        return null;
    }

    private static boolean isBelow(String path, String prefix) {
        return path.startsWith(prefix)
                && (path.length() == prefix.length() || prefix.length() == 1 || path.charAt(prefix.length()) == '/');
    }

    private static String normalized(String prefix) {
        return "/" + String.join("/", RequestPath.segments(prefix));
    }
}
