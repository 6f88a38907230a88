package io.github.ratelimit.policy;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * All that was configured, as one snapshot that a request reads once.
 *
 * @param dryRun whether everything only counts and marks
 * @param zones by name, in the order in which they were written
 * @param rules of the application's configuration and of its annotations
 * @param table the rules that are found by URL
 */
public record Policy(boolean dryRun, Map<String, Zone> zones, List<Rule> rules, RuleTable table) {

    /** Copies the collections. */
    public Policy {
        zones = Collections.unmodifiableMap(new LinkedHashMap<>(zones));
        rules = List.copyOf(rules);
    }

    /** Nothing is limited. */
    public static Policy empty() {
        return new Policy(false, Map.of(), List.of(), new RuleTable(List.of(), true));
    }
}
