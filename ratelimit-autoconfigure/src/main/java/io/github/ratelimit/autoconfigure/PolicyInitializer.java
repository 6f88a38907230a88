package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.method.RateLimitedAnnotationProcessor;
import io.github.ratelimit.policy.InvalidPolicyException;
import io.github.ratelimit.policy.InvalidPolicyException.Fault;
import io.github.ratelimit.policy.Policy;
import io.github.ratelimit.policy.PolicyHolder;
import io.github.ratelimit.policy.Rule;
import io.github.ratelimit.policy.RuleTable;
import io.github.ratelimit.policy.Zone;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Puts the policy in force once all singletons exist: what {@code application.yml} says and what the annotations say,
 * or every fault of both.
 */
final class PolicyInitializer implements SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger("io.github.ratelimit");

    private final RateLimitSetup setup;
    private final RateLimitedAnnotationProcessor annotations;
    private final PolicyHolder policies;
    private final RateLimiter limiter;
    private final BooleanSupplier caseSensitivePaths;

    PolicyInitializer(
            RateLimitSetup setup,
            RateLimitedAnnotationProcessor annotations,
            PolicyHolder policies,
            RateLimiter limiter,
            BooleanSupplier caseSensitivePaths) {
        this.setup = setup;
        this.annotations = annotations;
        this.policies = policies;
        this.limiter = limiter;
        this.caseSensitivePaths = caseSensitivePaths;
    }

    @Override
    public void afterSingletonsInstantiated() {
        PolicyCompiler.Compiled compiled = setup.compile();
        RateLimitedAnnotationProcessor.Annotated annotated = annotations.process(compiled.zones());
        List<Fault> faults = new ArrayList<>(setup.bindingFaults());
        faults.addAll(compiled.faults());
        faults.addAll(annotated.faults());
        if (!faults.isEmpty()) {
            throw new InvalidPolicyException(faults);
        }
        Map<String, Zone> zones = new LinkedHashMap<>(compiled.zones());
        annotated.inlineZones().forEach(zone -> zones.put(zone.name(), zone));
        List<Rule> rules = new ArrayList<>(compiled.rules());
        rules.addAll(annotated.rules());
        Policy policy = new Policy(
                compiled.dryRun(), zones, rules, new RuleTable(compiled.rules(), caseSensitivePaths.getAsBoolean()));
        limiter.configure(policy);
        policies.set(policy);
        logPolicy(policy, compiled.rules().size());
    }

    private static String stores(Policy policy) {
        boolean shared = policy.zones().values().stream().anyMatch(zone -> zone.sharing() != null);
        boolean own = policy.zones().values().stream().anyMatch(zone -> zone.sharing() == null);
        return shared ? (own ? "local, redis" : "redis") : "local";
    }

    private void logPolicy(Policy policy, int byUrl) {
        if (policy.rules().isEmpty() && !annotations.hasLimits()) {
            log.info("Rate limiting: no rules under ratelimit.rules and no @RateLimited: nothing is limited");
            return;
        }
        log.info(
                "Rate limiting: {} zones, {} rules by URL (paths below the context path), {} annotated handlers;"
                        + " stores: {}; filter order {}, for principals {}; dry run {}",
                policy.zones().size(),
                byUrl,
                policy.rules().size() - byUrl,
                stores(policy),
                setup.properties().filter().order(),
                setup.properties().filter().authenticatedOrder(),
                policy.dryRun() ? "ON: nothing is refused" : "off");
    }
}
