package io.github.ratelimit.policy;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A URL prefix, and methods, that charges zones.
 *
 * @param path the prefix: {@code /} or whole segments, each behind a slash; a segment in braces matches any one segment
 * @param methods the verbs, in upper case; empty for all. HEAD and CONNECT count as GET
 * @param zones what is charged, all or nothing; empty when the prefix is unlimited
 * @param cost permits of one request, at least 1
 * @param inherit whether the zones of the next shorter matching rule are charged too
 * @param dryRun whether its zones only count and mark for it
 * @param source where the rule was written
 */
public record Rule(
        String path, Set<String> methods, List<Zone> zones, long cost, boolean inherit, boolean dryRun, String source) {

    /** Copies the collections. */
    public Rule {
        methods = Set.copyOf(methods);
        zones = List.copyOf(zones);
    }

    /** The prefix behind its verbs: {@code POST /api/login}. */
    public String name() {
        return methods.isEmpty() ? path : methods.stream().sorted().collect(Collectors.joining(",")) + " " + path;
    }

    /** Whether the prefix is never limited by this rule. */
    public boolean unlimited() {
        return zones.isEmpty() && !inherit;
    }

    /** Whether the rule speaks of this verb. */
    public boolean covers(String method) {
        return methods.isEmpty() || methods.contains(method);
    }
}
