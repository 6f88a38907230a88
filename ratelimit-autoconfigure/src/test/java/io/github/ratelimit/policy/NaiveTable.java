package io.github.ratelimit.policy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tries every rule: of those that match the longest, then the leftmost literal, then one that names the method. */
final class NaiveTable {

    private record Entry(Rule rule, String[] segments, String literals) {}

    private static final Comparator<Entry> BEST_FIRST = Comparator.comparing((Entry entry) -> entry.segments.length)
            .thenComparing(Entry::literals)
            .thenComparing(entry -> !entry.rule.methods().isEmpty())
            .reversed();

    private final List<Entry> entries = new ArrayList<>();
    private final boolean caseSensitive;

    NaiveTable(List<Rule> rules, boolean caseSensitive) {
        this.caseSensitive = caseSensitive;
        for (Rule rule : rules) {
            String[] segments = rule.path().substring(1).split("/");
            StringBuilder literals = new StringBuilder();
            for (String segment : segments) {
                literals.append(RuleTable.isVariable(segment) ? '0' : '1');
            }
            entries.add(new Entry(rule, segments, literals.toString()));
        }
        entries.sort(BEST_FIRST);
    }

    @Nullable
    Rule find(String path, String method, int shorterThan) {
        String[] segments = path.substring(1).split("/");
        for (Entry entry : entries) {
            if (entry.segments.length < shorterThan
                    && entry.segments.length <= segments.length
                    && entry.rule.covers(method)
                    && matches(entry.segments, segments)) {
                return entry.rule;
            }
        }
        return null;
    }

    private boolean matches(String[] rule, String[] path) {
        for (int i = 0; i < rule.length; i++) {
            boolean same = caseSensitive ? rule[i].equals(path[i]) : rule[i].equalsIgnoreCase(path[i]);
            if (!same && !RuleTable.isVariable(rule[i])) {
                return false;
            }
        }
        return true;
    }
}
