package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.policy.InvalidPolicyException.Fault;
import io.github.ratelimit.policy.Rule;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.store.ZoneChange;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Makes zones and rules of the properties, or finds every fault at once. */
final class PolicyCompiler {

    private PolicyCompiler() {}

    /**
     * What was written means.
     *
     * @param dryRun whether everything only decides, counts and marks
     * @param zones by name, in the order in which they were written, then those of inline limits
     * @param rules in the order in which they were written
     * @param faults why zones and rules must not be put in force; empty when they may
     */
    record Compiled(boolean dryRun, Map<String, Zone> zones, List<Rule> rules, List<Fault> faults) {

        Compiled {
            zones = Collections.unmodifiableMap(new LinkedHashMap<>(zones));
            rules = List.copyOf(rules);
            faults = List.copyOf(faults);
        }
    }

    /**
     * Compiles zones and rules.
     *
     * @param annotated the zones that annotations define
     * @param changes what was changed at run time, by the name of the zone; of a zone that is not there it is left aside
     */
    static Compiled compile(
            WrittenLimits written, List<Zone> annotated, Map<String, ZoneChange> changes, Surroundings surroundings) {
        Faults faults = new Faults();
        ZoneCompiler zones = new ZoneCompiler(surroundings, changes, faults);
        written.zones().forEach(zones::add);
        RuleCompiler rules =
                new RuleCompiler(zones, surroundings.caseSensitivePaths().getAsBoolean(), faults);
        written.rules().forEach(rules::add);
        annotated.forEach(zones::add);
        // what annotations charge is decided behind all filters
        if (rules.rules().stream()
                .flatMap(rule -> rule.zones().stream())
                .anyMatch(zone -> zone.key().needsIdentity())) {
            String fault = surroundings.secondPassFault().get();
            if (fault != null) {
                faults.add("ratelimit.filter.authenticated-order", fault);
            }
        }
        return new Compiled(written.dryRun(), zones.zones(), rules.rules(), faults.list());
    }
}
