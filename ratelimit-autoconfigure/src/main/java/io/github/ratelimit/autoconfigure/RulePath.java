package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.key.RequestPath;
import io.github.ratelimit.policy.RuleTable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The path of a rule: a prefix on whole segments.
 *
 * @param segments its segments, decoded; one in braces matches any segment. Empty for the root
 */
record RulePath(List<String> segments) {

    /**
     * Reads a path.
     *
     * @param text the path as it was written, not blank
     * @throws IllegalArgumentException with a sentence that follows the name of the property and says what to write
     */
    static RulePath parse(String text) {
        String path = text.strip();
        if (path.isEmpty()) {
            throw new IllegalArgumentException("is empty; write a prefix such as /api/login");
        }
        if (path.charAt(0) != '/') {
            throw refused(path, "does not begin with a slash");
        }
        if (path.indexOf('*') >= 0) {
            throw refused(path, "has a wildcard, although a path covers everything below it");
        }
        if (endOfPath(path) < path.length()) {
            throw refused(path, "has a query, a fragment or a parameter, which is no part of a path");
        }
        List<String> segments = RequestPath.segments(path);
        checkVariables(path, segments);
        return new RulePath(segments);
    }

    RulePath {
        segments = List.copyOf(segments);
    }

    /** The same for all paths that match the same requests. */
    String shape() {
        StringBuilder shape = new StringBuilder();
        for (String segment : segments) {
            shape.append('/').append(RuleTable.isVariable(segment) ? "{}" : segment);
        }
        return shape.toString();
    }

    @Override
    public String toString() {
        return "/" + String.join("/", segments);
    }

    private static void checkVariables(String path, List<String> segments) {
        Set<String> variables = new HashSet<>();
        for (String segment : segments) {
            if (RuleTable.isVariable(segment) && isName(segment.substring(1, segment.length() - 1))) {
                if (!variables.add(segment)) {
                    throw new IllegalArgumentException(
                            "is '" + path + "', which has " + segment + " twice; give each variable its own name");
                }
            } else if (segment.indexOf('{') >= 0 || segment.indexOf('}') >= 0) {
                throw new IllegalArgumentException("is '" + path + "', in which '" + segment
                        + "' is no variable; write a whole segment with a name in braces, such as /tenants/{tenant}");
            }
        }
    }

    private static boolean isName(String variable) {
        return variable.chars().allMatch(c -> Character.isLetterOrDigit(c) || c == '-' || c == '_' || c == '.');
    }

    private static IllegalArgumentException refused(String path, String reason) {
        return new IllegalArgumentException("is '" + path + "', which " + reason + "; write " + suggestion(path));
    }

    /** The prefix that was probably meant. */
    private static String suggestion(String path) {
        List<String> segments = new ArrayList<>();
        for (String segment : RequestPath.segments(path.substring(0, endOfPath(path)))) {
            if (segment.indexOf('*') >= 0) {
                break;
            }
            segments.add(segment);
        }
        return new RulePath(segments).toString();
    }

    private static int endOfPath(String path) {
        for (int i = 0; i < path.length(); i++) {
            if ("?#;".indexOf(path.charAt(i)) >= 0) {
                return i;
            }
        }
        return path.length();
    }
}
