package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Penalty;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.key.KeyPart;
import io.github.ratelimit.key.KeyPlan;
import io.github.ratelimit.policy.KeyedAllowances;
import io.github.ratelimit.policy.Limits;
import io.github.ratelimit.policy.Sharing;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.store.ZoneChange;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes zones of what was written, one by one; a zone with a fault is known by name but is not made. */
final class ZoneCompiler {

    private final Surroundings surroundings;
    private final Map<String, ZoneChange> changes;
    private final AlgorithmCompiler algorithms;
    private final LimitsCompiler limits;
    private final SharingCompiler sharing;
    private final Faults faults;
    private final Set<String> names = new LinkedHashSet<>();
    private final Map<String, Zone> zones = new LinkedHashMap<>();

    ZoneCompiler(Surroundings surroundings, Map<String, ZoneChange> changes, Faults faults) {
        this.surroundings = surroundings;
        this.changes = changes;
        this.algorithms = new AlgorithmCompiler(faults);
        this.limits = new LimitsCompiler(algorithms, surroundings.clock(), faults);
        this.sharing = new SharingCompiler(surroundings.storeFault(), faults);
        this.faults = faults;
    }

    /** Makes a zone of {@code ratelimit.zones}. */
    void add(String name, ZoneProperties written) {
        String where = ZoneNames.property(name);
        names.add(name);
        if (name.isBlank()) {
            faults.add(where, "has no name; write one, such as ratelimit.zones.per-ip");
        }
        make(name, where, written);
    }

    /**
     * Makes the zone of a limit that is written in a rule.
     *
     * @param where the full name of the rule
     * @return the zone; {@code null} when there is a fault
     */
    @Nullable
    Zone addInline(String name, String where, String rate, @Nullable Long burst) {
        if (names.contains(name)) {
            faults.add(
                    where + ".rate",
                    "makes a zone that is named '" + name + "' like " + ZoneNames.property(name)
                            + "; rename that zone, or charge it" + " by the rule's zones instead of writing a rate");
            algorithms.tokenBucket(where, rate, burst);
            return null;
        }
        return make(name, where, ZoneProperties.inline(rate, burst));
    }

    /** Takes a zone that an annotation defines, with what was changed at run time. */
    void add(Zone annotated) {
        String name = annotated.name();
        if (names.contains(name)) {
            faults.add(ZoneNames.property(name), "is named like the zone of an annotation; write another name");
            return;
        }
        Zone zone = changed(annotated);
        zones.put(name, zone == null ? annotated : zone);
    }

    private @Nullable Zone changed(Zone annotated) {
        Rate rate = annotated.algorithm().rate();
        if (rate == null) {
            return annotated;
        }
        long burst = annotated.algorithm().limit();
        // a burst that is the default follows the rate
        ZoneProperties written =
                ZoneProperties.inline(rate.text(), burst == rate.writtenPermits() ? null : Long.valueOf(burst));
        String where = "zone '" + annotated.name() + "'";
        return make(annotated.name(), where, annotated.key(), changed(annotated.name(), written));
    }

    private ZoneProperties changed(String name, ZoneProperties written) {
        return written.changed(changes.getOrDefault(name, ZoneChange.NONE));
    }

    private KeyedAllowances provided(Zone zone, ZoneProperties written) {
        return surroundings
                .provided()
                .of(zone.name(), limit -> LimitsCompiler.meaning(limit, written, zone.algorithm()));
    }

    private @Nullable Zone make(String name, String where, ZoneProperties configured) {
        ZoneProperties written = changed(name, configured);
        List<KeyPart> key = key(where + ".key", written.key());
        KeyPlan plan = key == null ? null : new KeyPlan(key, written.missingKey(), surroundings.clients());
        Zone zone = make(name, where, plan, written);
        if (zone != null) {
            zones.put(name, zone);
        }
        return zone;
    }

    private @Nullable Zone make(String name, String where, @Nullable KeyPlan plan, ZoneProperties written) {
        if (written.maxKeys() < 1) {
            faults.add(
                    where + ".max-keys", "is " + written.maxKeys() + "; write how many keys it may hold, at least 1");
        }
        Algorithm algorithm = algorithms.compile(where, written);
        Penalty penalty = PenaltyCompiler.compile(where + ".penalty", written.penalty(), faults);
        if (plan == null || algorithm == null || written.maxKeys() < 1) {
            return null;
        }
        Limits granted = limits.compile(where, written, plan, algorithm);
        Sharing shared = sharing.compile(where, written, granted);
        Zone zone = new Zone(name, plan, algorithm, written.maxKeys(), written.whenFull(), written.dryRun());
        return zone.limitedBy(granted.provided(provided(zone, written)))
                .punishing(penalty)
                .shared(shared);
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
                KeyPart part = surroundings.keyParser().apply(resolver);
                parts.add(part);
                if (part.needsIdentity() && !surroundings.securityPresent()) {
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
