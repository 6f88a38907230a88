package io.github.ratelimit.method;

import io.github.ratelimit.RateLimited;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Concurrency;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.algorithm.TokenBucket;
import io.github.ratelimit.algorithm.Windowed;
import io.github.ratelimit.key.ClientAddress;
import io.github.ratelimit.key.KeyPart;
import io.github.ratelimit.key.KeyPlan;
import io.github.ratelimit.policy.InvalidPolicyException.Fault;
import io.github.ratelimit.policy.Zone;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Makes a limit of an annotation, or says all that is wrong with it. */
final class LimitCompiler {

    private static final String DEFAULT_KEY = "client-ip";
    private static final int MAX_KEYS = 100_000;

    private final Map<String, Zone> configured;
    private final Function<String, KeyPart> keyParser;
    private final ClientAddress clients;

    /**
     * A compiler.
     *
     * @param configured the zones that an annotation may name
     * @param keyParser reads the name of a resolver; throws with a sentence that follows it
     * @param clients reads the addresses that stand in for a missing key
     */
    LimitCompiler(Map<String, Zone> configured, Function<String, KeyPart> keyParser, ClientAddress clients) {
        this.configured = configured;
        this.keyParser = keyParser;
        this.clients = clients;
    }

    /** Whether the annotation has a zone of its own. */
    static boolean isInline(RateLimited limit) {
        return named(limit).isEmpty();
    }

    /** Whether key or cost names an argument; not when they cannot be read. */
    static boolean namesArgument(Declared declared, Method method) {
        Variables variables = Variables.of(method, declared.siteMethod());
        return namesArgument(declared.limit().key(), variables)
                || namesArgument(declared.limit().cost(), variables);
    }

    private static boolean namesArgument(String text, Variables variables) {
        try {
            return CallExpression.isExpression(text)
                    && CallExpression.parse(text, variables, "").argumentBound();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /**
     * Compiles one annotation of a method.
     *
     * @param name the name of its zone, should it be inline
     * @param faults hears of every fault
     * @return {@code null} when there is a fault
     */
    @Nullable
    Limit compile(Declared declared, MethodSite site, String name, Consumer<Fault> faults) {
        return new Compilation(declared, site, faults).limit(name);
    }

    /** What is to be written where a limit is below a cost. */
    static String higher(Algorithm algorithm) {
        return algorithm instanceof Windowed
                ? "a higher rate"
                : algorithm instanceof Concurrency ? "a higher max-concurrent" : "a higher burst";
    }

    private static String named(RateLimited limit) {
        return limit.zone().isEmpty() ? limit.value() : limit.zone();
    }

    /** The state of compiling one annotation. */
    private final class Compilation {

        private final RateLimited limit;
        private final String where;
        private final Variables variables;
        private final Consumer<Fault> faults;
        private boolean faulty;

        Compilation(Declared declared, MethodSite site, Consumer<Fault> faults) {
            this.limit = declared.limit();
            this.where = (declared.siteMethod() == null ? site.type().getName() : site.where()) + " @RateLimited";
            this.variables = Variables.of(site.method(), declared.siteMethod());
            this.faults = faults;
        }

        @Nullable
        Limit limit(String name) {
            List<String> unresolved = Stream.of(limit.value(), limit.zone(), limit.rate(), limit.key(), limit.cost())
                    .filter(Declared::hasPlaceholder)
                    .toList();
            if (!unresolved.isEmpty()) {
                unresolved.forEach(text -> fault("has '" + text
                        + "', a placeholder for which there is no property; set the property, or write a default as in"
                        + " ${login.rate:10/s}"));
                return null;
            }
            boolean expressionKey = CallExpression.isExpression(limit.key());
            KeyPart part = limit.key().isEmpty() || expressionKey ? null : part(limit.key());
            CallExpression key = expressionKey ? expression("key", limit.key()) : null;
            boolean expressionCost = CallExpression.isExpression(limit.cost());
            CallExpression costExpression = expressionCost ? expression("cost", limit.cost()) : null;
            long cost = expressionCost ? 1 : cost();
            Zone zone = zone(name, part);
            if (zone != null && !expressionCost && cost > zone.algorithm().limit()) {
                fault("has the cost " + cost + ", but zone '" + zone.name() + "' never holds more than "
                        + zone.algorithm().limit() + ", so that no call could be admitted; write "
                        + higher(zone.algorithm()));
            }
            return zone == null || faulty ? null : new Limit(zone, part, key, costExpression, cost);
        }

        private @Nullable Zone zone(String name, @Nullable KeyPart part) {
            if (!limit.value().isEmpty()
                    && !limit.zone().isEmpty()
                    && !limit.value().equals(limit.zone())) {
                fault("has two zones, '" + limit.value() + "' and '" + limit.zone() + "'; write one of them");
                return null;
            }
            return isInline(limit) ? inline(name, part) : configured();
        }

        private @Nullable Zone configured() {
            if (!limit.rate().isEmpty()) {
                fault("has both zone '" + named(limit) + "' and rate '" + limit.rate() + "'; write one of them");
            } else if (limit.burst() != 0) {
                fault("has the burst " + limit.burst() + " without a rate; write it as ratelimit.zones." + named(limit)
                        + ".burst, or write a rate instead of the zone");
            }
            Zone zone = configured.get(named(limit));
            if (zone == null) {
                fault("names the zone '" + named(limit) + "', which is not configured; "
                        + (configured.isEmpty()
                                ? "there are no zones, write it under ratelimit.zones"
                                : "known zones: "
                                        + configured.keySet().stream().sorted().collect(Collectors.joining(", "))));
            }
            return zone;
        }

        private @Nullable Zone inline(String name, @Nullable KeyPart part) {
            if (limit.rate().isEmpty()) {
                fault(
                        limit.burst() == 0
                                ? "has neither zone nor rate; write @RateLimited(\"zone\") or @RateLimited(rate = \"10/s\")"
                                : "has the burst " + limit.burst()
                                        + " without a rate; write one, such as rate = \"10/s\"");
                return null;
            }
            Rate rate = rate();
            TokenBucket bucket = rate == null ? null : bucket(rate);
            KeyPart payer = part != null ? part : part(DEFAULT_KEY);
            if (bucket == null || payer == null) {
                return null;
            }
            KeyPlan plan = new KeyPlan(List.of(payer), KeyPlan.MissingKey.CLIENT_IP, clients);
            return new Zone(name, plan, bucket, MAX_KEYS, Zone.WhenFull.SHARE, false);
        }

        private @Nullable Rate rate() {
            return tried("rate '" + limit.rate() + "'", () -> Rate.parse(limit.rate()));
        }

        private @Nullable TokenBucket bucket(Rate rate) {
            long burst = limit.burst() == 0 ? rate.writtenPermits() : limit.burst();
            return tried("burst " + burst, () -> TokenBucket.of(rate, burst));
        }

        private @Nullable KeyPart part(String key) {
            return tried("key '" + key + "'", () -> keyParser.apply(key));
        }

        private @Nullable CallExpression expression(String attribute, String text) {
            return tried(attribute + " '" + text + "'", () -> CallExpression.parse(text, variables, where));
        }

        private long cost() {
            try {
                long cost = Long.parseLong(limit.cost().trim());
                if (cost >= 1) {
                    return cost;
                }
                fault("cost '" + limit.cost() + "' is below 1; write how many permits one call costs");
            } catch (NumberFormatException e) {
                fault("cost '" + limit.cost()
                        + "' is neither a number nor an expression; write cost = \"5\" or cost = \"#items.size()\"");
            }
            return 1;
        }

        private <T> @Nullable T tried(String what, Attempt<T> attempt) {
            try {
                return attempt.run();
            } catch (IllegalArgumentException e) {
                fault(what + " " + e.getMessage());
                return null;
            }
        }

        private void fault(String problem) {
            faulty = true;
            faults.accept(new Fault(where, problem));
        }
    }

    /** Reads one attribute. */
    private interface Attempt<T> {

        T run();
    }
}
