package io.github.ratelimit.actuate;

import io.github.ratelimit.limiter.RuleStatistics;
import io.github.ratelimit.policy.Rule;
import io.github.ratelimit.policy.Zone;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * All zones and rules in force, as {@code /actuator/ratelimit} shows them.
 *
 * @param dryRun whether everything only counts and marks
 * @param zones by name, in the order in which they were written
 * @param rules in the order in which they were written
 */
public record LimitsDescriptor(boolean dryRun, Map<String, ZoneDescriptor> zones, List<RuleDescriptor> rules)
        implements OperationResponseBody {

    /** Copies the collections. */
    public LimitsDescriptor {
        zones = Collections.unmodifiableMap(new LinkedHashMap<>(zones));
        rules = List.copyOf(rules);
    }

    /**
     * One rule and what became of the requests that it decided.
     *
     * @param path the prefix
     * @param methods the verbs, sorted; empty for all
     * @param zones the names of the zones that it charges
     * @param source where it was written
     * @param permitted requests let through, in dry run too
     * @param rejected requests refused
     */
    public record RuleDescriptor(
            String path, List<String> methods, List<String> zones, String source, long permitted, long rejected) {

        /** Copies the collections. */
        public RuleDescriptor {
            methods = List.copyOf(methods);
            zones = List.copyOf(zones);
        }

        static RuleDescriptor of(Rule rule, RuleStatistics statistics) {
            return new RuleDescriptor(
                    rule.path(),
                    rule.methods().stream().sorted().toList(),
                    rule.zones().stream().map(Zone::name).toList(),
                    rule.source(),
                    statistics.permitted(),
                    statistics.rejected());
        }
    }
}
