package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.key.ClientAddress;
import io.github.ratelimit.key.KeyPart;
import io.github.ratelimit.key.KeyPlan;
import io.github.ratelimit.key.KeyPlan.MissingKey;
import io.github.ratelimit.policy.Sharing;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.policy.Zone.WhenFull;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes zones of what was written, one by one; a zone with a fault is known by name but is not made. */
final class ZoneCompiler {

    private final ClientAddress clients;
    private final Function<String, KeyPart> keyParser;
    private final boolean securityPresent;
    private final AlgorithmCompiler algorithms;
    private final SharingCompiler sharing;
    private final Faults faults;
    private final Set<String> names = new LinkedHashSet<>();
    private final Map<String, Zone> zones = new LinkedHashMap<>();

    ZoneCompiler(
            ClientAddress clients,
            Function<String, KeyPart> keyParser,
            boolean securityPresent,
            Supplier<@Nullable String> storeFault,
            Faults faults) {
        this.clients = clients;
        this.keyParser = keyParser;
        this.securityPresent = securityPresent;
        this.algorithms = new AlgorithmCompiler(faults);
        this.sharing = new SharingCompiler(storeFault, faults);
        this.faults = faults;
    }

    /** Makes a zone of {@code ratelimit.zones}. */
    void add(String name, ZoneProperties written) {
        String where = ZoneNames.property(name);
        names.add(name);
        if (name.isBlank()) {
            faults.add(where, "has no name; write one, such as ratelimit.zones.per-ip");
        }
        if (written.maxKeys() < 1) {
            faults.add(
                    where + ".max-keys", "is " + written.maxKeys() + "; write how many keys it may hold, at least 1");
        }
        List<KeyPart> key = key(where + ".key", written.key());
        Algorithm algorithm = algorithms.compile(where, written);
        if (key != null && algorithm != null && written.maxKeys() >= 1) {
            KeyPlan plan = new KeyPlan(key, written.missingKey(), clients);
            Zone zone = new Zone(name, plan, algorithm, written.maxKeys(), written.whenFull(), written.dryRun());
            Sharing shared = sharing.compile(where, written, algorithm);
            zones.put(name, shared == null ? zone : zone.shared(shared));
        }
    }

    /**
     * Makes the zone of a limit that is written in a rule.
     *
     * @param where the full name of the rule
     * @return the zone; {@code null} when there is a fault
     */
    @Nullable
    Zone addInline(String name, String where, String rate, @Nullable Long burst) {
        Algorithm algorithm = algorithms.tokenBucket(where, rate, burst);
        List<KeyPart> key = key(where, List.of(ZoneProperties.DEFAULT_KEY));
        if (names.contains(name)) {
            faults.add(
                    where + ".rate",
                    "makes a zone that is named '" + name + "' like " + ZoneNames.property(name)
                            + "; rename that zone, or charge it" + " by the rule's zones instead of writing a rate");
            return null;
        }
        if (key == null || algorithm == null) {
            return null;
        }
        int maxKeys = Integer.parseInt(ZoneProperties.DEFAULT_MAX_KEYS);
        KeyPlan plan = new KeyPlan(key, MissingKey.CLIENT_IP, clients);
        Zone zone = new Zone(name, plan, algorithm, maxKeys, WhenFull.SHARE, false);
        zones.put(name, zone);
        return zone;
    }

    /** All names that are written under {@code ratelimit.zones}. */
    Set<String> names() {
        return names;
    }

    /** The zones without a fault, by name. */
    Map<String, Zone> zones() {
        return zones;
    }

    private @Nullable List<KeyPart> key(String where, List<String> resolvers) {
        if (resolvers.isEmpty()) {
            faults.add(where, "names no key resolver; write one, such as client-ip");
            return null;
        }
        List<KeyPart> parts = new ArrayList<>();
        for (int i = 0; i < resolvers.size(); i++) {
            String resolver = resolvers.get(i);
            String at = resolvers.size() == 1 ? where : where + "[" + i + "]";
            try {
                KeyPart part = keyParser.apply(resolver);
                parts.add(part);
                if (part.needsIdentity() && !securityPresent) {
                    faults.add(
                            at,
                            "is '" + resolver + "', which needs Spring Security on the class path; add"
                                    + " spring-boot-starter-security or write another key, such as client-ip");
                }
            } catch (IllegalArgumentException e) {
                faults.add(at, resolver, e);
            }
        }
        return parts.size() == resolvers.size() ? parts : null;
    }
}
