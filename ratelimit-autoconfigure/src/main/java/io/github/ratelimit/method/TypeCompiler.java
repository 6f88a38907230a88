package io.github.ratelimit.method;

import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.method.HandlerPatterns.Mapped;
import io.github.ratelimit.method.RateLimitedAnnotationProcessor.Annotated;
import io.github.ratelimit.method.RateLimitedAnnotationProcessor.Claim;
import io.github.ratelimit.policy.InvalidPolicyException;
import io.github.ratelimit.policy.InvalidPolicyException.Fault;
import io.github.ratelimit.policy.Rule;
import io.github.ratelimit.policy.Zone;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * Compiles the limits of classes: of all that are known at start-up in one go, so that no name depends on the order of
 * beans, and of each that comes later on its own. Safe for use by many threads.
 */
final class TypeCompiler implements Function<Class<?>, Map<Method, MethodLimits>> {

    private final RateLimitedMethods methods;
    private final LimitCompiler limits;
    private final HandlerPatterns handlers;
    private final CallCharger charger;
    private final RateLimiter limiter;
    private final UniqueNames zoneNames;
    private final UniqueNames sources = new UniqueNames(Set.of());
    private final ReentrantLock compiling = new ReentrantLock();
    private final Map<Class<?>, Map<Method, MethodLimits>> compiled = new HashMap<>();

    /**
     * No class is compiled.
     *
     * @param methods finds annotations
     * @param limits compiles one annotation
     * @param handlers tells which methods are handlers
     * @param charger charges the calls
     * @param limiter counts them
     * @param taken names that no inline zone may have
     */
    TypeCompiler(
            RateLimitedMethods methods,
            LimitCompiler limits,
            HandlerPatterns handlers,
            CallCharger charger,
            RateLimiter limiter,
            Set<String> taken) {
        this.methods = methods;
        this.limits = limits;
        this.handlers = handlers;
        this.charger = charger;
        this.limiter = limiter;
        this.zoneNames = new UniqueNames(taken);
    }

    /**
     * The limits of a class, by every method through which they may be called.
     *
     * @throws InvalidPolicyException when the class was not known before, and something is wrong with it
     */
    @Override
    public Map<Method, MethodLimits> apply(Class<?> type) {
        compiling.lock();
        try {
            List<Fault> faults = compile(Set.of(type)).faults();
            if (!faults.isEmpty()) {
                throw new InvalidPolicyException(faults);
            }
            Map<Method, MethodLimits> all = new HashMap<>();
            units(type).forEach(unit -> all.putAll(compiled.getOrDefault(unit, Map.of())));
            return Map.copyOf(all);
        } finally {
            compiling.unlock();
        }
    }

    /** Compiles those of the classes that are not compiled. */
    Annotated compile(Collection<Class<?>> types) {
        Set<Class<?>> units = new LinkedHashSet<>();
        types.forEach(type -> units.addAll(units(type)));
        units.removeAll(compiled.keySet());
        units.removeIf(unit -> methods.annotated(unit).declared().isEmpty());

        Map<MethodSite, List<Declared>> sites = sites(units);
        Compilation compilation = new Compilation(
                zoneNames.name(with(
                        sites, declared -> declared.stream().anyMatch(one -> LimitCompiler.isInline(one.limit())))),
                sources.name(sites.keySet().stream()
                        .filter(site -> !handlers.of(site).isEmpty())
                        .toList()));
        Map<MethodSite, MethodLimits> limited = new HashMap<>();
        sites.forEach((site, declared) -> limited.put(site, compilation.compile(site, declared)));
        if (compilation.faults.isEmpty()) {
            units.forEach(unit -> compiled.put(unit, byCalledMethod(unit, limited)));
            limited.values().forEach(one -> one.all().forEach(methods::charges));
        }
        return new Annotated(compilation.zones, compilation.rules, compilation.claims, List.copyOf(compilation.faults));
    }

    /** Whether any class has limits. */
    boolean hasLimits() {
        return !compiled.isEmpty();
    }

    /** The classes that are compiled for a class of a bean: for a JDK proxy or a lambda, its interfaces. */
    private static List<Class<?>> units(Class<?> type) {
        return AnnotatedMethods.standsForItsInterfaces(type)
                ? List.of(type.getInterfaces())
                : List.of(ClassUtils.getUserClass(type));
    }

    private Map<MethodSite, List<Declared>> sites(Set<Class<?>> units) {
        Map<MethodSite, List<Declared>> found = new HashMap<>();
        units.forEach(unit -> methods.annotated(unit)
                .declared()
                .forEach((method, declared) -> found.put(new MethodSite(unit, method), declared)));
        Map<MethodSite, List<Declared>> sorted = new LinkedHashMap<>();
        found.keySet().stream().sorted(MethodSite.ORDER).forEach(site -> sorted.put(site, found.get(site)));
        return sorted;
    }

    private static List<MethodSite> with(Map<MethodSite, List<Declared>> sites, Predicate<List<Declared>> condition) {
        return sites.keySet().stream()
                .filter(site -> condition.test(sites.get(site)))
                .toList();
    }

    private Map<Method, MethodLimits> byCalledMethod(Class<?> unit, Map<MethodSite, MethodLimits> limited) {
        Map<Method, MethodLimits> byCalled = new HashMap<>();
        methods.annotated(unit)
                .aliases()
                .forEach((called, method) -> byCalled.put(called, limited.get(new MethodSite(unit, method))));
        return byCalled;
    }

    /** What one pass gives. */
    private final class Compilation {

        private final Map<MethodSite, String> inlineNames;
        private final Map<MethodSite, String> sourceNames;
        private final List<Zone> zones = new ArrayList<>();
        private final List<Rule> rules = new ArrayList<>();
        private final List<Claim> claims = new ArrayList<>();
        private final Set<Fault> faults = new LinkedHashSet<>();

        Compilation(Map<MethodSite, String> inlineNames, Map<MethodSite, String> sourceNames) {
            this.inlineNames = inlineNames;
            this.sourceNames = sourceNames;
        }

        MethodLimits compile(MethodSite site, List<Declared> declared) {
            List<Limit> found = new ArrayList<>();
            int inline = 0;
            for (Declared one : declared) {
                boolean own = LimitCompiler.isInline(one.limit());
                String name = inlineNames.getOrDefault(site, "");
                Limit limit =
                        limits.compile(one, site, own && inline++ > 0 ? zoneNames.another(name) : name, faults::add);
                if (limit != null) {
                    found.add(limit);
                    claims.add(new Claim(
                            site.where() + " @RateLimited", limit.zone().name(), limit.cost()));
                    if (own) {
                        zones.add(limit.zone());
                    }
                }
            }
            checkProxy(site, found);
            Variables variables = Variables.of(site.method(), declared.get(0).siteMethod());
            return new MethodLimits(
                    sourceNames.getOrDefault(site, site.shortName()), charger, variables, found, patterns(site, found));
        }

        private List<MethodLimits.Pattern> patterns(MethodSite site, List<Limit> found) {
            List<Zone> charged = found.stream().map(Limit::zone).distinct().toList();
            long cost = found.stream().mapToLong(Limit::cost).max().orElse(1);
            List<MethodLimits.Pattern> patterns = new ArrayList<>();
            for (Mapped mapped : handlers.of(site)) {
                Rule rule = new Rule(
                        mapped.rule(),
                        mapped.methods(),
                        charged,
                        cost,
                        false,
                        false,
                        sourceNames.getOrDefault(site, site.where()));
                rules.add(rule);
                patterns.add(new MethodLimits.Pattern(mapped.path(), limiter.statistics(rule)));
            }
            return patterns;
        }

        private void checkProxy(MethodSite site, List<Limit> found) {
            boolean needed = handlers.of(site).isEmpty() || found.stream().anyMatch(Limit::argumentBound);
            String obstacle = needed ? obstacle(site) : null;
            if (obstacle != null) {
                faults.add(new Fault(
                        site.where() + " @RateLimited", "can be limited only through a proxy, but " + obstacle));
            }
        }

        private @Nullable String obstacle(MethodSite site) {
            int modifiers = site.method().getModifiers();
            if (Modifier.isPrivate(modifiers)) {
                return "the method is private; make it visible to other classes";
            }
            if (Modifier.isStatic(modifiers)) {
                return "the method is static; make it an instance method";
            }
            if (methods.isFinalBehindInterfaces(site.type())) {
                return null;
            }
            if (Modifier.isFinal(modifiers)) {
                return "the method is final; remove the final";
            }
            if (Modifier.isFinal(site.type().getModifiers())) {
                return "the class is final; remove the final";
            }
            return methods.isProxied(site.type())
                    ? null
                    : "the class has final methods, or private ones that are called from outside; change those";
        }
    }
}
