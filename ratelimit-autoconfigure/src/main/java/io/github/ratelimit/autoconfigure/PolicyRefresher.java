package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.actuate.ZoneChanger;
import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.method.RateLimitedAnnotationProcessor.Annotated;
import io.github.ratelimit.policy.InvalidPolicyException;
import io.github.ratelimit.policy.InvalidPolicyException.Fault;
import io.github.ratelimit.policy.Policy;
import io.github.ratelimit.policy.PolicyHolder;
import io.github.ratelimit.policy.Rule;
import io.github.ratelimit.policy.RuleTable;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.store.ChangeStore;
import io.github.ratelimit.store.ZoneChange;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts policies in force: compiles what is written, with what operators have changed on top of it, and swaps the whole or
 * nothing. What is wrong leaves everything as it was.
 *
 * <p>Safe for use by many threads; one change at a time.
 */
final class PolicyRefresher implements ZoneChanger {

    private static final Logger log = LoggerFactory.getLogger("io.github.ratelimit");

    private final ReentrantLock lock = new ReentrantLock();
    private final Surroundings surroundings;
    private final PolicyHolder policies;
    private final RateLimiter limiter;
    private final ChangeStore changes;

    private Annotated annotated = new Annotated(List.of(), List.of(), List.of(), List.of());
    private WrittenLimits written = new WrittenLimits(false, Map.of(), List.of());
    private Map<String, ZoneChange> changesInForce = Map.of();

    /**
     * What would be in force.
     *
     * @param faults why it must not be; empty when it may
     */
    private record Candidate(
            WrittenLimits written, Map<String, ZoneChange> changes, Policy policy, List<Fault> faults) {}

    PolicyRefresher(Surroundings surroundings, PolicyHolder policies, RateLimiter limiter, ChangeStore changes) {
        this.surroundings = surroundings;
        this.policies = policies;
        this.limiter = limiter;
        this.changes = changes;
    }

    /** What is written means this, without annotations and changes. */
    PolicyCompiler.Compiled compile(WrittenLimits limits) {
        return PolicyCompiler.compile(limits, List.of(), Map.of(), surroundings);
    }

    /**
     * Puts the first policy in force, and follows the changes of other instances from then on.
     *
     * @throws InvalidPolicyException with every fault
     */
    void start(WrittenLimits limits, Annotated found) {
        lock.lock();
        try {
            annotated = found;
            Map<String, ZoneChange> known = changes.changes();
            put(checked(fitting(limits)));
            changes.onChange(this::follow);
            // a store that connects because of that policy has read them only now
            if (!changes.changes().equals(known)) {
                put(checked(fitting(limits)));
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Puts another configuration in force, under the changes that still fit it.
     *
     * @throws InvalidPolicyException with every fault; all stays as it was then
     */
    void refresh(WrittenLimits limits) {
        lock.lock();
        try {
            put(checked(fitting(limits)));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void change(String zone, ZoneChange change) {
        lock.lock();
        try {
            Map<String, ZoneChange> next = new LinkedHashMap<>(changesInForce);
            ZoneChange merged = next.getOrDefault(zone, ZoneChange.NONE).then(change);
            next.put(zone, merged);
            Candidate candidate = checked(candidate(written, next));
            changes.put(zone, merged);
            put(candidate);
            log.info("Rate limiting: zone '{}' was changed: {}", zone, oneLine(merged));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void reset(String zone) {
        lock.lock();
        try {
            Map<String, ZoneChange> next = new LinkedHashMap<>(changesInForce);
            next.remove(zone);
            Candidate candidate = checked(candidate(written, next));
            changes.remove(zone);
            put(candidate);
            log.info("Rate limiting: zone '{}' is as it is configured again", zone);
        } finally {
            lock.unlock();
        }
    }

    private void follow() {
        lock.lock();
        try {
            put(checked(fitting(written)));
        } catch (InvalidPolicyException e) {
            log.error("Rate limiting: a change of another instance was not put in force: {}", e.getMessage());
        } finally {
            lock.unlock();
        }
    }

    /** A candidate under all changes but those that do not fit: who changes the configuration is not held up by them. */
    private Candidate fitting(WrittenLimits limits) {
        Map<String, ZoneChange> known = changes.changes();
        Candidate all = candidate(limits, known);
        if (all.faults().isEmpty() || known.isEmpty()) {
            return all;
        }
        Candidate fitting = candidate(limits, Map.of());
        if (!fitting.faults().isEmpty()) {
            return fitting;
        }
        for (Map.Entry<String, ZoneChange> change : known.entrySet()) {
            Map<String, ZoneChange> more = new LinkedHashMap<>(fitting.changes());
            more.put(change.getKey(), change.getValue());
            Candidate next = candidate(limits, more);
            if (next.faults().isEmpty()) {
                fitting = next;
            } else {
                log.warn(
                        "Rate limiting: the change of zone '{}' ({}) does not fit the configuration and is left aside: {}",
                        change.getKey(),
                        oneLine(change.getValue()),
                        next.faults());
            }
        }
        return fitting;
    }

    private Candidate candidate(WrittenLimits limits, Map<String, ZoneChange> changed) {
        PolicyCompiler.Compiled compiled =
                PolicyCompiler.compile(limits, annotated.inlineZones(), changed, surroundings);
        List<Fault> faults = new ArrayList<>(compiled.faults());
        if (faults.isEmpty()) {
            annotated.claims().stream()
                    .map(claim -> claim.check(compiled.zones().get(claim.zone())))
                    .filter(Objects::nonNull)
                    .distinct()
                    .forEach(faults::add);
        }
        List<Rule> rules = new ArrayList<>(compiled.rules());
        annotated.rules().forEach(rule -> rules.add(charging(rule, compiled.zones())));
        RuleTable table = new RuleTable(
                faults.isEmpty() ? compiled.rules() : List.of(),
                surroundings.caseSensitivePaths().getAsBoolean());
        Policy policy = new Policy(compiled.dryRun(), compiled.zones(), rules, table);
        return new Candidate(limits, Map.copyOf(changed), policy, faults);
    }

    /** The rule of an annotation with the zones of its names that are there now. */
    private static Rule charging(Rule rule, Map<String, Zone> zones) {
        List<Zone> charged = rule.zones().stream()
                .map(zone -> zones.getOrDefault(zone.name(), zone))
                .toList();
        return new Rule(
                rule.path(), rule.methods(), charged, rule.cost(), rule.inherit(), rule.dryRun(), rule.source());
    }

    private static Candidate checked(Candidate candidate) {
        if (!candidate.faults().isEmpty()) {
            throw new InvalidPolicyException(candidate.faults());
        }
        return candidate;
    }

    private void put(Candidate candidate) {
        written = candidate.written();
        changesInForce = candidate.changes();
        limiter.configure(candidate.policy());
        policies.set(candidate.policy());
    }

    private static String oneLine(ZoneChange change) {
        return change.toText().strip().replace("\n", ", ");
    }
}
