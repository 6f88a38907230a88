package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.key.ClientAddress;
import io.github.ratelimit.key.KeyPart;
import io.github.ratelimit.policy.InvalidPolicyException.Fault;
import io.github.ratelimit.policy.Rule;
import io.github.ratelimit.policy.Zone;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes zones and rules of the properties, or finds every fault at once. */
final class PolicyCompiler {

    private PolicyCompiler() {}

    /**
     * What the properties say.
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
     * Compiles the properties.
     *
     * @param clients tells who the client of a request is
     * @param keyParser gives the resolver of a name, or throws an {@link IllegalArgumentException} with a sentence that
     *     follows the name
     * @param securityPresent whether Spring Security is there to establish a principal
     * @param storeFault why no zone can be shared, as a sentence that follows a zone's store; {@code null} when it can
     */
    static Compiled compile(
            RateLimitProperties properties,
            ClientAddress clients,
            Function<String, KeyPart> keyParser,
            boolean securityPresent,
            Supplier<@Nullable String> storeFault) {
        Faults faults = new Faults();
        SettingsCheck.check(properties, faults);
        ZoneCompiler zones = new ZoneCompiler(clients, keyParser, securityPresent, storeFault, faults);
        properties.zones().forEach(zones::add);
        RuleCompiler rules = new RuleCompiler(zones, faults);
        for (int i = 0; i < properties.rules().size(); i++) {
            rules.add("ratelimit.rules[" + i + "]", properties.rules().get(i));
        }
        return new Compiled(properties.dryRun(), zones.zones(), rules.rules(), faults.list());
    }
}
