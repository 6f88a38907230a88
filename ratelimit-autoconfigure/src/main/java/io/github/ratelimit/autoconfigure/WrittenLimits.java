package io.github.ratelimit.autoconfigure;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Zones and rules as they were written, by whichever source: what may change while the application runs.
 *
 * @param dryRun whether everything only decides, counts and marks
 * @param zones by name, in the order in which they were written
 * @param rules in the order in which they were written
 */
record WrittenLimits(boolean dryRun, Map<String, ZoneProperties> zones, List<WrittenRule> rules) {

    WrittenLimits {
        zones = Collections.unmodifiableMap(new LinkedHashMap<>(zones));
        rules = List.copyOf(rules);
    }

    /**
     * A rule and where it was written.
     *
     * @param where its full name
     * @param source what the endpoint shows
     * @param rule the rule
     */
    record WrittenRule(String where, String source, RuleProperties rule) {}

    /** What the application's own configuration says. */
    static WrittenLimits of(PropertiesBinder.Bound bound) {
        return of(bound.properties(), bound.ruleSources());
    }

    /** What a file says. */
    static WrittenLimits of(RateLimitProperties properties, String file) {
        return of(properties, Collections.nCopies(properties.rules().size(), file));
    }

    private static WrittenLimits of(RateLimitProperties properties, List<String> sources) {
        List<WrittenRule> rules = new ArrayList<>();
        for (int i = 0; i < properties.rules().size(); i++) {
            rules.add(new WrittenRule(
                    "ratelimit.rules[" + i + "]",
                    sources.get(i),
                    properties.rules().get(i)));
        }
        return new WrittenLimits(properties.dryRun(), properties.zones(), rules);
    }

    /**
     * These limits under others: a zone of the same name is replaced as a whole, and so are all rules of the same path.
     *
     * @param dryRunThere whether everything is in dry run, {@code null} when the others do not say
     */
    WrittenLimits under(WrittenLimits others, @Nullable Boolean dryRunThere) {
        Map<String, ZoneProperties> allZones = new LinkedHashMap<>(zones);
        allZones.putAll(others.zones);
        List<String> replaced =
                others.rules.stream().map(rule -> shape(rule.rule())).toList();
        List<WrittenRule> allRules = new ArrayList<>();
        rules.stream().filter(rule -> !replaced.contains(shape(rule.rule()))).forEach(allRules::add);
        allRules.addAll(others.rules);
        return new WrittenLimits(dryRunThere != null ? dryRunThere : dryRun, allZones, allRules);
    }

    /** The same for all spellings of a path; what is no path is a fault that the compiler tells. */
    private static String shape(RuleProperties rule) {
        String path = rule.path();
        try {
            return path == null ? "" : RulePath.parse(path).shape();
        } catch (IllegalArgumentException e) {
            return String.valueOf(path);
        }
    }
}
