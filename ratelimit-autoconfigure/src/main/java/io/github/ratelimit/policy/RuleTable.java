package io.github.ratelimit.policy;

import io.github.ratelimit.key.RequestPath;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All rules as a tree of path segments: the longest prefix that matches wins, whatever the order in which the rules
 * were written. A look-up visits one node for each segment of the path, and allocates nothing; only where a literal
 * and a variable stand side by side are both tried.
 */
public final class RuleTable {

    private final Node root;

    /**
     * The tree of the rules.
     *
     * @param rules no two of which have the same path and an overlapping set of methods
     * @param caseSensitive whether paths that differ in case are different paths for the application
     */
    public RuleTable(List<Rule> rules, boolean caseSensitive) {
        root = new Node(!caseSensitive);
        for (Rule rule : rules) {
            Node node = root;
            for (String segment : RequestPath.segments(rule.path())) {
                node = isVariable(segment) ? node.variableOrNew() : node.childOrNew(segment);
            }
            node.rules.add(rule);
        }
        root.seal();
    }

    /** Whether a segment of a rule matches any one segment of a path. */
    public static boolean isVariable(String segment) {
        return segment.length() > 2 && segment.startsWith("{") && segment.endsWith("}");
    }

    /** The rule of a request; {@code null} when none matches. */
    public @Nullable Rule find(RequestPath path, String method) {
        return find(path, method, Integer.MAX_VALUE);
    }

    /** The next rule above: the longest that matches and is shorter than the given one. */
    public @Nullable Rule above(Rule rule, RequestPath path, String method) {
        return find(path, method, depth(rule) - 1);
    }

    private @Nullable Rule find(RequestPath path, String method, int deepest) {
        if (deepest < 0) {
            return null;
        }
        String value = path.value();
        return search(root, value, value.length() == 1 ? 1 : 0, method, deepest);
    }

    private @Nullable Rule search(Node node, String path, int slash, String method, int deepest) {
        Rule found = null;
        if (slash < path.length() && deepest > 0) {
            int next = path.indexOf('/', slash + 1);
            int end = next < 0 ? path.length() : next;
            Node child = node.child(path, slash + 1, end);
            Node variable = node.variable;
            if (child != null) {
                found = search(child, path, end, method, deepest - 1);
            }
            if (variable != null) {
                Rule other = search(variable, path, end, method, deepest - 1);
                if (other != null && (found == null || depth(other) > depth(found))) {
                    found = other;
                }
            }
        }
        return found != null ? found : node.rule(method);
    }

    private static int depth(Rule rule) {
        String path = rule.path();
        int slashes = 0;
        for (int i = path.indexOf('/'); i >= 0 && path.length() > 1; i = path.indexOf('/', i + 1)) {
            slashes++;
        }
        return slashes;
    }

    /**
     * One segment of the tree: its literal children in an open-addressed table that is probed by a part of the path.
     * Where case is ignored, names are equal as {@link String#equalsIgnoreCase} has it, like Spring's path patterns.
     */
    private static final class Node {

        private final boolean ignoresCase;
        private final List<Rule> rules = new ArrayList<>(1);
        private final List<String> names = new ArrayList<>(0);
        private final List<Node> children = new ArrayList<>(0);
        private int[] table = {};
        private @Nullable Node variable;

        Node(boolean ignoresCase) {
            this.ignoresCase = ignoresCase;
        }

        Node variableOrNew() {
            Node node = variable;
            if (node == null) {
                node = new Node(ignoresCase);
                variable = node;
            }
            return node;
        }

        Node childOrNew(String name) {
            if (children.size() * 2 >= table.length) {
                rehash(Math.max(4, Integer.highestOneBit(children.size() + 1) * 4));
            }
            Node child = child(name, 0, name.length());
            if (child == null) {
                child = new Node(ignoresCase);
                names.add(name);
                children.add(child);
                place(names.size() - 1);
            }
            return child;
        }

        @Nullable
        Node child(String path, int from, int to) {
            if (children.isEmpty()) {
                return null;
            }
            int mask = table.length - 1;
            for (int i = hash(path, from, to) & mask; table[i] != 0; i = i + 1 & mask) {
                String name = names.get(table[i] - 1);
                if (name.length() == to - from && name.regionMatches(ignoresCase, 0, path, from, name.length())) {
                    return children.get(table[i] - 1);
                }
            }
            return null;
        }

        /** Rules that name their methods come first. */
        void seal() {
            rules.sort(
                    (a, b) -> Boolean.compare(a.methods().isEmpty(), b.methods().isEmpty()));
            children.forEach(Node::seal);
            if (variable != null) {
                variable.seal();
            }
        }

        @Nullable
        Rule rule(String method) {
            for (int i = 0; i < rules.size(); i++) {
                if (rules.get(i).covers(method)) {
                    return rules.get(i);
                }
            }
            return null;
        }

        private void rehash(int size) {
            table = new int[size];
            for (int i = 0; i < names.size(); i++) {
                place(i);
            }
        }

        private void place(int index) {
            String name = names.get(index);
            int mask = table.length - 1;
            int i = hash(name, 0, name.length()) & mask;
            while (table[i] != 0) {
                i = i + 1 & mask;
            }
            table[i] = index + 1;
        }

        private int hash(String text, int from, int to) {
            int hash = 0;
            for (int i = from; i < to; i++) {
                char c = text.charAt(i);
                hash = 31 * hash + (ignoresCase ? folded(c) : c);
            }
            return hash ^ hash >>> 16;
        }

        /** The same for all characters that are equal but for case; letters beyond the 16 bits have their case in pairs. */
        private static char folded(char c) {
            return Character.isSurrogate(c) ? 0 : Character.toLowerCase(Character.toUpperCase(c));
        }
    }
}
