package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.LeakyBucket;
import io.github.ratelimit.policy.InvalidPolicyException;
import io.github.ratelimit.policy.InvalidPolicyException.Fault;
import io.github.ratelimit.policy.PolicyHolder;
import io.github.ratelimit.policy.Zone;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Refuses zones that delay where the server would let a delayed request go on past some of the filters. Tomcat does not:
 * it can be asked for the filters of a first dispatch.
 */
final class DelayCheck implements SmartInitializingSingleton {

    /** Servers that pick the right filters; a mock picks none. */
    private static final List<String> UNCONCERNED = List.of("Apache Tomcat", "MockServletContext");

    private final PolicyHolder policies;
    private final Supplier<String> server;
    private final Supplier<List<String>> firstDispatchFilters;

    /**
     * A check, to be made when the policy is in force.
     *
     * @param server what the server calls itself; a mock's name where it is one
     * @param firstDispatchFilters the names of the filters that are not mapped to asynchronous dispatches
     */
    DelayCheck(PolicyHolder policies, Supplier<String> server, Supplier<List<String>> firstDispatchFilters) {
        this.policies = policies;
        this.server = server;
        this.firstDispatchFilters = firstDispatchFilters;
    }

    @Override
    public void afterSingletonsInstantiated() {
        List<String> delaying = policies.get().zones().values().stream()
                .filter(DelayCheck::delays)
                .map(Zone::name)
                .toList();
        String name = server.get();
        if (delaying.isEmpty() || UNCONCERNED.stream().anyMatch(name::startsWith)) {
            return;
        }
        List<Fault> faults = firstDispatchFilters.get().stream()
                .map(filter -> new Fault(
                        "The filter '" + filter + "'",
                        "is mapped to DispatcherType.REQUEST only, or without a bean that says to what: on " + name
                                + " a request that is delayed by zone '" + delaying.get(0) + "' would not pass it."
                                + " Make it a FilterRegistrationBean that is mapped to DispatcherType.ASYNC too,"
                                + " or write ratelimit.zones." + delaying.get(0) + ".delay-after: never"))
                .toList();
        if (!faults.isEmpty()) {
            throw new InvalidPolicyException(faults);
        }
    }

    private static boolean delays(Zone zone) {
        return delays(zone.algorithm()) || zone.limits().others().stream().anyMatch(other -> delays(other.algorithm()));
    }

    private static boolean delays(Algorithm algorithm) {
        return algorithm instanceof LeakyBucket bucket && bucket.delayAfter() < bucket.burst();
    }
}
