package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.method.RateLimitedAnnotationProcessor;
import io.github.ratelimit.policy.InvalidPolicyException;
import io.github.ratelimit.policy.InvalidPolicyException.Fault;
import io.github.ratelimit.policy.Zone;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Puts the first policy in force once all singletons exist: what {@code application.yml} and the watched file say and
 * what the annotations say, or every fault of all.
 */
final class PolicyInitializer implements SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger("io.github.ratelimit");

    private final RateLimitSetup setup;
    private final RateLimitedAnnotationProcessor annotations;
    private final PolicyRefresher refresher;
    private final LimitSources sources;

    PolicyInitializer(
            RateLimitSetup setup,
            RateLimitedAnnotationProcessor annotations,
            PolicyRefresher refresher,
            LimitSources sources) {
        this.setup = setup;
        this.annotations = annotations;
        this.refresher = refresher;
        this.sources = sources;
    }

    @Override
    public void afterSingletonsInstantiated() {
        List<Fault> fileFaults = sources.readFile();
        PolicyCompiler.Compiled compiled = refresher.compile(sources.limits());
        RateLimitedAnnotationProcessor.Annotated annotated = annotations.process(compiled.zones());
        List<Fault> faults = new ArrayList<>(setup.bindingFaults());
        faults.addAll(setup.settingFaults());
        faults.addAll(fileFaults);
        faults.addAll(compiled.faults());
        faults.addAll(annotated.faults());
        if (!compiled.rules().isEmpty() || annotations.hasLimits()) {
            faults.addAll(setup.foreignFaults());
        }
        if (!faults.isEmpty()) {
            throw new InvalidPolicyException(faults);
        }
        sources.start(annotated);
        logPolicy(compiled, annotated);
    }

    private static String stores(Collection<Zone> zones) {
        boolean shared = zones.stream().anyMatch(zone -> zone.sharing() != null);
        boolean own = zones.stream().anyMatch(zone -> zone.sharing() == null);
        return shared ? (own ? "local, redis" : "redis") : "local";
    }

    private void logPolicy(PolicyCompiler.Compiled compiled, RateLimitedAnnotationProcessor.Annotated annotated) {
        if (compiled.rules().isEmpty() && !annotations.hasLimits()) {
            log.info("Rate limiting: no rules under ratelimit.rules and no @RateLimited: nothing is limited");
            return;
        }
        List<Zone> zones = new ArrayList<>(compiled.zones().values());
        zones.addAll(annotated.inlineZones());
        log.info(
                "Rate limiting: {} zones, {} rules by URL (paths below the context path), {} annotated handlers;"
                        + " stores: {}; filter order {}, for principals {}; dry run {}; heap when full: {}",
                zones.size(),
                compiled.rules().size(),
                annotated.rules().size(),
                stores(zones),
                setup.properties().filter().order(),
                setup.properties().filter().authenticatedOrder(),
                compiled.dryRun() ? "ON: nothing is refused" : "off",
                ZoneMemory.describe(zones));
        String idle = setup.idleRedisSettings();
        if (idle != null) {
            log.warn("Rate limiting: {}", idle);
        }
    }
}
