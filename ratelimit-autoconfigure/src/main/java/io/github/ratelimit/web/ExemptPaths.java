package io.github.ratelimit.web;

import io.github.ratelimit.key.RequestPath;
import io.github.ratelimit.policy.Rule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Prefixes, on whole segments, that are never limited, and those that are limited only where a rule names them. */
public final class ExemptPaths {

    private final List<String> never;
    private final ExemptPathSource source;
    private volatile @Nullable List<String> unlessNamed;

    /**
     * The prefixes.
     *
     * @param never prefixes that no rule covers
     * @param unlessNamed prefixes that only rules at or below them cover
     */
    public ExemptPaths(List<String> never, ExemptPathSource unlessNamed) {
        this.never = normalized(never);
        this.source = unlessNamed;
    }

    /** Whether nothing is charged for this path although the rule matches it. */
    boolean exempt(RequestPath path, Rule rule) {
        if (prefixOf(path.value(), never) != null) {
            return true;
        }
        String prefix = prefixOf(path.value(), unlessNamed());
        return prefix != null && !isBelow(rule.path(), prefix);
    }

    private List<String> unlessNamed() {
        List<String> paths = unlessNamed;
        if (paths == null) {
            paths = normalized(source.paths());
            unlessNamed = paths;
        }
        return paths;
    }

    private static @Nullable String prefixOf(String path, List<String> prefixes) {
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

    private static List<String> normalized(List<String> prefixes) {
        return prefixes.stream()
                .map(prefix -> "/" + String.join("/", RequestPath.segments(prefix)))
                .toList();
    }
}
