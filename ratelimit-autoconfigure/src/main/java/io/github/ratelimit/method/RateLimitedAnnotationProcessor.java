package io.github.ratelimit.method;

import io.github.ratelimit.key.ClientAddress;
import io.github.ratelimit.key.KeyPart;
import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.limiter.WaitingSeats;
import io.github.ratelimit.policy.InvalidPolicyException.Fault;
import io.github.ratelimit.policy.PolicyHolder;
import io.github.ratelimit.policy.Rule;
import io.github.ratelimit.policy.Zone;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/**
 * Finds every limited method of the application at the end of start-up, checks it, and puts its limits in force.
 *
 * <p>Calls before that, from start-up code, are not limited. Classes of beans that come later, such as those of lazy
 * beans whose definition does not tell their class, are compiled when they come; what is wrong with those fails the
 * bean, and their zones are not listed in the policy.
 */
public final class RateLimitedAnnotationProcessor {

    private final RateLimitedMethods methods;
    private final RateLimiter limiter;
    private final CallCharger charger;
    private final Function<String, KeyPart> keyParser;
    private final ListableBeanFactory beans;
    private final Supplier<String> servletPath;
    private final ClientAddress clients;
    private volatile boolean hasLimits;

    /**
     * What the annotations add to the policy.
     *
     * @param inlineZones the zones that annotations define
     * @param rules one for each URL pattern of each limited handler, for display and counting
     * @param claims what each limit needs of its zone
     * @param faults everything that is wrong; when there is any, no limit is in force
     */
    public record Annotated(List<Zone> inlineZones, List<Rule> rules, List<Claim> claims, List<Fault> faults) {

        /** Copies the collections. */
        public Annotated {
            inlineZones = List.copyOf(inlineZones);
            rules = List.copyOf(rules);
            claims = List.copyOf(claims);
            faults = List.copyOf(faults);
        }
    }

    /**
     * What an annotation needs of a zone, for whoever changes zones later.
     *
     * @param where the annotated method
     * @param zone the name of the zone
     * @param cost what a call pays at least
     */
    public record Claim(String where, String zone, long cost) {

        /** What is wrong with the zone of that name, {@code null} when nothing is. */
        public @Nullable Fault check(@Nullable Zone zone) {
            if (zone == null) {
                return new Fault(where, "names the zone '" + this.zone + "', which would be gone; keep it");
            }
            return cost <= zone.algorithm().limit()
                    ? null
                    : new Fault(
                            where,
                            "has the cost " + cost + ", but zone '" + zone.name() + "' would never hold more than "
                                    + zone.algorithm().limit()
                                    + ", so that no call could be admitted; write "
                                    + LimitCompiler.higher(zone.algorithm()));
        }
    }

    /**
     * A processor.
     *
     * @param methods learns the limits
     * @param limiter decides
     * @param seats the places for calls that have to wait
     * @param policies the policy in force
     * @param clients tells who the client of a request is
     * @param keyParser reads the name of a key resolver; throws IllegalArgumentException with a sentence that follows it
     * @param beans the application's beans
     * @param servletPath the path of Spring MVC's servlet below the context path, {@code ""} for the root
     */
    public RateLimitedAnnotationProcessor(
            RateLimitedMethods methods,
            RateLimiter limiter,
            WaitingSeats seats,
            PolicyHolder policies,
            ClientAddress clients,
            Function<String, KeyPart> keyParser,
            ListableBeanFactory beans,
            Supplier<String> servletPath) {
        this.methods = methods;
        this.limiter = limiter;
        this.keyParser = keyParser;
        this.beans = beans;
        this.servletPath = servletPath;
        this.clients = clients;
        StandardEvaluationContext expressions = new StandardEvaluationContext();
        expressions.setBeanResolver(new BeanFactoryResolver(beans));
        this.charger = new CallCharger(limiter, seats, policies, clients, expressions);
    }

    /**
     * Finds, checks and puts in force. Called once, when all singletons exist.
     *
     * @param configuredZones the zones that annotations may name
     */
    public Annotated process(Map<String, Zone> configuredZones) {
        HandlerPatterns handlers = new HandlerPatterns(
                BeanFactoryUtils.beansOfTypeIncludingAncestors(beans, RequestMappingHandlerMapping.class, true, false)
                        .values(),
                servletPath.get());
        TypeCompiler compiler = new TypeCompiler(
                methods,
                new LimitCompiler(configuredZones, keyParser, clients),
                handlers,
                charger,
                limiter,
                configuredZones.keySet());
        Set<Class<?>> types = new LinkedHashSet<>(BeanTypes.of(beans));
        types.addAll(methods.seen());
        Annotated annotated = compiler.compile(types);
        if (annotated.faults().isEmpty()) {
            methods.putInForce(compiler);
        }
        hasLimits = compiler.hasLimits();
        return annotated;
    }

    /** Whether {@link #process} found anything to limit. */
    public boolean hasLimits() {
        return hasLimits;
    }
}
