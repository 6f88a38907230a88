package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Concurrency;
import io.github.ratelimit.algorithm.LeakyBucket;
import io.github.ratelimit.algorithm.Windowed;
import io.github.ratelimit.autoconfigure.WrittenLimits.WrittenRule;
import io.github.ratelimit.key.Verb;
import io.github.ratelimit.policy.Rule;
import io.github.ratelimit.policy.Zone;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes rules of what was written, one by one, and leaves out what has a fault. */
final class RuleCompiler {

    private final ZoneCompiler zones;
    private final boolean caseSensitive;
    private final Faults faults;
    private final List<Rule> rules = new ArrayList<>();
    private final List<Claim> claims = new ArrayList<>();

    /**
     * What a rule covers.
     *
     * @param where the full name of the rule
     * @param path as it is shown
     * @param shape the same for all paths that match the same requests
     * @param methods empty for all
     */
    private record Claim(String where, String path, String shape, Set<String> methods) {

        boolean overlaps(Claim other, boolean caseSensitive) {
            return (caseSensitive ? shape.equals(other.shape) : shape.equalsIgnoreCase(other.shape))
                    && methods.isEmpty() == other.methods.isEmpty()
                    && (methods.isEmpty() || !Collections.disjoint(methods, other.methods));
        }
    }

    /**
     * A compiler.
     *
     * @param zones the zones that rules may name
     * @param caseSensitive whether paths that differ in case are different paths for the application
     * @param faults what is wrong
     */
    RuleCompiler(ZoneCompiler zones, boolean caseSensitive, Faults faults) {
        this.zones = zones;
        this.caseSensitive = caseSensitive;
        this.faults = faults;
    }

    /**
     * Makes a rule.
     *
     * @param rule as it was written, and where
     */
    void add(WrittenRule rule) {
        String where = rule.where();
        RuleProperties written = rule.rule();
        RulePath path = path(where + ".path", written.path());
        Set<String> methods = methods(where + ".methods", written.methods());
        boolean duplicate = path != null && isDuplicate(new Claim(where, path.toString(), path.shape(), methods));
        if (written.cost() < 1) {
            faults.add(
                    where + ".cost", "is " + written.cost() + "; write how many permits a request costs, at least 1");
        }
        checkForm(where, written);
        List<Zone> charged = charged(where, written, path, methods, duplicate);
        if (path != null) {
            rules.add(new Rule(
                    path.toString(),
                    methods,
                    charged,
                    written.cost(),
                    written.inherit(),
                    written.dryRun(),
                    rule.source()));
        }
    }

    /** The rules, in the order in which they were written. */
    List<Rule> rules() {
        return rules;
    }

    private @Nullable RulePath path(String where, @Nullable String written) {
        if (written == null || written.isBlank()) {
            faults.add(
                    where,
                    "is missing; write a prefix such as /api/login (a source that overrides one rule of the list"
                            + " replaces the list and must hold every rule whole)");
            return null;
        }
        try {
            return RulePath.parse(written);
        } catch (IllegalArgumentException e) {
            faults.add(where, String.valueOf(e.getMessage()));
            return null;
        }
    }

    private Set<String> methods(String where, List<String> written) {
        Set<String> methods = new LinkedHashSet<>();
        for (int i = 0; i < written.size(); i++) {
            String method = written.get(i).strip().toUpperCase(Locale.ROOT);
            if (method.equals("*")) {
                faults.add(where + "[" + i + "]", "is '*'; leave methods out to cover all of them");
            } else if (!Tokens.isToken(method)) {
                faults.add(where + "[" + i + "]", "is '" + written.get(i) + "'; write one method, such as POST");
            }
            methods.add(Verb.counted(method));
        }
        return methods;
    }

    private boolean isDuplicate(Claim claim) {
        for (Claim other : claims) {
            if (claim.overlaps(other, caseSensitive)) {
                faults.add(
                        claim.where + ".path",
                        "is a duplicate: " + other.where + " covers '" + other.path
                                + "' for the same methods; make one rule of the two");
                return true;
            }
        }
        claims.add(claim);
        return false;
    }

    private void checkForm(String where, RuleProperties written) {
        boolean inline = isWritten(written.rate());
        boolean named = !written.zones().isEmpty();
        if (written.unlimited() && (named || inline || written.burst() != null || written.inherit())) {
            faults.add(
                    where + ".unlimited",
                    "is true although the rule charges something; remove it, or remove zones, rate, burst and inherit");
        } else if (named && inline) {
            faults.add(where + ".rate", "stands beside zones; write one of the two");
        } else if (!inline && !written.unlimited() && written.burst() != null) {
            faults.add(where + ".burst", "stands without a rate; write the rate too, such as rate: 10/s");
        } else if (!named && !inline && !written.unlimited()) {
            faults.add(where, "limits nothing; write zones, a rate, or unlimited: true");
        }
    }

    private List<Zone> charged(
            String where, RuleProperties written, @Nullable RulePath path, Set<String> methods, boolean duplicate) {
        List<Zone> charged = new ArrayList<>();
        Set<String> seen = new LinkedHashSet<>();
        for (int i = 0; i < written.zones().size(); i++) {
            String name = written.zones().get(i);
            String at = where + ".zones[" + i + "]";
            Zone zone = zones.zones().get(name);
            if (!seen.add(name)) {
                faults.add(at, "names zone '" + name + "' a second time; remove it");
            } else if (!zones.names().contains(name)) {
                faults.add(at, "is '" + name + "', which is no zone; " + knownZones());
            } else if (zone != null) {
                charged.add(zone);
                checkCosts(zone, ZoneNames.property(name), where, written.cost());
            }
        }
        if (isWritten(written.rate())) {
            // without a path of its own the limit is still checked, and named after the property
            String name = path == null || duplicate ? where : implicitName(path, methods);
            Zone zone = zones.addInline(name, where, String.valueOf(written.rate()), written.burst());
            if (zone != null) {
                charged.add(zone);
                checkCosts(zone, where, where, written.cost());
            }
        }
        return charged;
    }

    private void checkCosts(Zone zone, String zoneWhere, String where, long cost) {
        checkCost(zone.algorithm(), zoneWhere, where, cost);
        zone.limits().others().forEach(other -> checkCost(other.algorithm(), other.where(), where, cost));
    }

    private void checkCost(Algorithm algorithm, String zoneWhere, String where, long cost) {
        if (cost <= algorithm.limit()) {
            return;
        }
        String below = ", below the cost " + cost + " of " + where
                + ", whose requests could never be admitted; write at least ";
        if (algorithm instanceof Windowed) {
            faults.add(
                    zoneWhere + ".rate",
                    "is " + algorithm.rate() + ", which is " + algorithm.limit() + " permits a window" + below + cost
                            + " permits a window");
        } else if (algorithm instanceof Concurrency) {
            faults.add(zoneWhere + ".max-concurrent", "is " + algorithm.limit() + below + cost);
        } else {
            // as nginx counts, the burst of a leaky bucket comes on top of the request in service
            long inService = algorithm instanceof LeakyBucket ? 1 : 0;
            faults.add(zoneWhere + ".burst", "is " + (algorithm.limit() - inService) + below + (cost - inService));
        }
    }

    private String knownZones() {
        return zones.names().isEmpty()
                ? "write it under ratelimit.zones, where there is none yet"
                : "known zones: " + String.join(", ", zones.names());
    }

    private static String implicitName(RulePath path, Set<String> methods) {
        return new Rule(path.toString(), methods, List.of(), 1, false, false, "").name();
    }

    private static boolean isWritten(@Nullable String text) {
        return text != null && !text.isBlank();
    }
}
