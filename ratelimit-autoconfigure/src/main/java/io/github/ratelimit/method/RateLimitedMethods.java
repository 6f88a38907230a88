package io.github.ratelimit.method;

import io.github.ratelimit.key.KeyPart;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.policy.Zone;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Which methods are limited, and how: the one thing that post-processor, interceptors and
 * {@link RateLimitedAnnotationProcessor} share. It needs no other bean, so that it may be made before all others.
 *
 * <p>Until the processor has put its limits in force, at the end of start-up, nothing is limited. A look-up costs two
 * reads of hash tables. Safe for use by many threads.
 */
public final class RateLimitedMethods {

    private final Map<Class<?>, AnnotatedMethods> annotated = new ConcurrentHashMap<>();
    private final Map<Class<?>, Map<Method, MethodLimits>> limits = new ConcurrentHashMap<>();
    private final Map<String, Set<KeyPart>> payers = new ConcurrentHashMap<>();
    private final Set<Class<?>> behindInterfaces = ConcurrentHashMap.newKeySet();
    private final Set<Class<?>> seen = ConcurrentHashMap.newKeySet();
    private volatile @Nullable Function<Class<?>, Map<Method, MethodLimits>> compiler;

    private final UnaryOperator<String> placeholders;

    /**
     * No method is limited.
     *
     * @param placeholders replaces those in the texts of annotations, as far as it can
     */
    public RateLimitedMethods(UnaryOperator<String> placeholders) {
        this.placeholders = placeholders;
    }

    /** The annotations of a class. */
    AnnotatedMethods annotated(Class<?> type) {
        AnnotatedMethods found = annotated.get(type);
        return found != null
                ? found
                : annotated.computeIfAbsent(type, absent -> AnnotatedMethods.of(absent, placeholders));
    }

    /** Notes the class of a bean; one that comes after start-up is compiled here. */
    void saw(Class<?> type) {
        seen.add(type);
        if (compiler != null) {
            limitsOf(type);
        }
    }

    /** Notes the class of a bean for which other advice has a proxy of its interfaces. */
    void sawBehindInterfaces(Class<?> type) {
        // another class is proxied by itself where it is not; of a final one, only such beans can be limited
        if (Modifier.isFinal(type.getModifiers())) {
            behindInterfaces.add(type);
        }
    }

    /** Whether the class is final, and calls of its bean go through a proxy of its interfaces that other advice needs. */
    boolean isFinalBehindInterfaces(Class<?> type) {
        return behindInterfaces.contains(type);
    }

    /** Whether calls of a bean of this class go through a proxy that limits them. */
    boolean isProxied(Class<?> type) {
        AnnotatedMethods found = annotated(type);
        return found.proxied()
                || isFinalBehindInterfaces(type) && !found.declared().isEmpty();
    }

    /** The classes of beans that are proxied. */
    Set<Class<?>> seen() {
        return Set.copyOf(seen);
    }

    /**
     * Puts the limits in force.
     *
     * @param compiler gives the limits of a class, by every method through which they may be called
     */
    void putInForce(Function<Class<?>, Map<Method, MethodLimits>> compiler) {
        this.compiler = compiler;
    }

    /** Notes that an annotation charges a zone, with whom it counts there if it names a resolver. */
    void charges(Limit limit) {
        Set<KeyPart> parts = payers.computeIfAbsent(limit.zone().name(), zone -> ConcurrentHashMap.newKeySet());
        if (limit.part() != null) {
            parts.add(limit.part());
        }
    }

    /**
     * The keys that a value may mean in a zone that annotations charge: what one of their resolvers makes of it, the value
     * itself, as an expression may give it, and the address that stands in for a missing key.
     *
     * @param raw the value as a person writes it
     * @return none when no annotation charges the zone
     */
    public List<RateLimitKey> keys(Zone zone, String raw) {
        Set<KeyPart> parts = payers.get(zone.name());
        if (parts == null || raw.isBlank()) {
            return List.of();
        }
        Set<RateLimitKey> keys = new LinkedHashSet<>();
        keys.add(RateLimitKey.ofText(raw));
        for (KeyPart part : parts) {
            try {
                keys.add(part.ofRaw(raw));
            } catch (IllegalArgumentException e) {
                // no request has this value there
            }
        }
        RateLimitKey standIn = zone.key().standInOfRaw(raw);
        if (standIn != null) {
            keys.add(standIn);
        }
        return List.copyOf(keys);
    }

    /** The limits of a method of a bean of this class; {@code null} when it has none, or none yet in force. */
    @Nullable
    MethodLimits find(Class<?> type, Method method) {
        Map<Method, MethodLimits> found = limits.get(type);
        if (found == null) {
            found = limitsOf(type);
        }
        return found.get(method);
    }

    private Map<Method, MethodLimits> limitsOf(Class<?> type) {
        Function<Class<?>, Map<Method, MethodLimits>> compiling = compiler;
        if (compiling == null) {
            return Map.of();
        }
        Map<Method, MethodLimits> compiled = compiling.apply(type);
        Map<Method, MethodLimits> other = limits.putIfAbsent(type, compiled);
        return other != null ? other : compiled;
    }
}
