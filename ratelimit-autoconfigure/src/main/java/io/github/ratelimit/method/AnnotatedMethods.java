package io.github.ratelimit.method;

import io.github.ratelimit.RateLimited;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Controller;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.service.annotation.HttpExchange;

/**
 * The limited methods of one class, each with the annotations that are nearest to it.
 *
 * <p>Nearest: on the method itself, then on the method it overrides or implements, interfaces first; only where none of
 * those is annotated, on the class, its interfaces, its superclasses. Annotations of different places are never added
 * up. On the class of a controller they limit its handler methods, whoever may see them, since Spring MVC calls private
 * ones too; on that of another bean its methods that a proxy can stand before. A public method that is final is among
 * them, so that it is a fault and not a way past the limit.
 */
final class AnnotatedMethods {

    private static final AnnotatedMethods NONE = new AnnotatedMethods(Map.of(), Map.of(), false);

    private final Map<Method, List<Declared>> declared;
    private final Map<Method, Method> aliases;
    private final boolean proxied;

    private AnnotatedMethods(Map<Method, List<Declared>> declared, Map<Method, Method> aliases, boolean proxied) {
        this.declared = declared;
        this.aliases = aliases;
        this.proxied = proxied;
    }

    /**
     * The limited methods of a class; none when it cannot be one that an application annotates.
     *
     * @param placeholders replaces those of a text, as far as it can
     */
    static AnnotatedMethods of(Class<?> type, UnaryOperator<String> placeholders) {
        if (!AnnotationUtils.isCandidateClass(type, RateLimited.class) || isOfSpring(type)) {
            return NONE;
        }
        Map<Method, List<Declared>> declared =
                new LinkedHashMap<>(MethodIntrospector.selectMethods(type, (Method method) -> nearest(method, type)));
        declared.replaceAll((method, all) ->
                all.stream().map(one -> one.resolved(placeholders)).toList());
        return declared.isEmpty()
                ? NONE
                : new AnnotatedMethods(declared, aliases(declared, type), isProxied(declared, type));
    }

    /** The limited methods, as the class itself has them. */
    Map<Method, List<Declared>> declared() {
        return Collections.unmodifiableMap(declared);
    }

    /** Every method by which a limited one may be called, its bridges and interfaces' declarations too. */
    Map<Method, Method> aliases() {
        return Collections.unmodifiableMap(aliases);
    }

    /** Whether calls of the bean's methods go through a proxy of ours. */
    boolean proxied() {
        return proxied;
    }

    /**
     * Whether the class says nothing but which interfaces it implements: that of a JDK proxy or of a lambda. Spring
     * proxies its beans by their interfaces.
     */
    static boolean standsForItsInterfaces(Class<?> type) {
        return Proxy.isProxyClass(type) || ClassUtils.isLambdaClass(type);
    }

    /** Whether Spring MVC would take the method for a handler. */
    static boolean looksLikeHandler(Method method, Class<?> type) {
        return isController(type)
                && (AnnotatedElementUtils.hasAnnotation(method, RequestMapping.class)
                        || AnnotatedElementUtils.hasAnnotation(method, HttpExchange.class));
    }

    private static boolean isController(Class<?> type) {
        return AnnotatedElementUtils.hasAnnotation(type, Controller.class);
    }

    private static boolean isOfSpring(Class<?> type) {
        return type.getName().startsWith("org.springframework.")
                && !AnnotatedElementUtils.isAnnotated(ClassUtils.getUserClass(type), Component.class);
    }

    private static @Nullable List<Declared> nearest(Method method, Class<?> type) {
        List<Declared> found = nearest(method);
        if (found.isEmpty()) {
            found = ofInterfaces(method, type);
        }
        if (found.isEmpty() && isCoveredByClass(method, type)) {
            found = nearest(type);
        }
        return found.isEmpty() ? null : found;
    }

    private static List<Declared> nearest(AnnotatedElement element) {
        List<MergedAnnotation<RateLimited>> all = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).stream(
                        RateLimited.class)
                .toList();
        int nearest =
                all.stream().mapToInt(MergedAnnotation::getAggregateIndex).min().orElse(0);
        return all.stream()
                .filter(annotation -> annotation.getAggregateIndex() == nearest)
                .map(annotation -> new Declared(annotation.synthesize(), site(annotation, element)))
                .toList();
    }

    private static AnnotatedElement site(MergedAnnotation<?> annotation, AnnotatedElement searched) {
        return annotation.getSource() instanceof AnnotatedElement site ? site : searched;
    }

    /** Finds what the class promises by an interface and keeps by a method that a superclass brings. */
    private static List<Declared> ofInterfaces(Method method, Class<?> type) {
        if (method.getDeclaringClass() == type || !Modifier.isPublic(method.getModifiers())) {
            return List.of();
        }
        for (Class<?> declaring : ClassUtils.getAllInterfacesForClassAsSet(type)) {
            for (Method promised : declaring.getMethods()) {
                if (promised.getName().equals(method.getName())
                        && AopUtils.getMostSpecificMethod(promised, type).equals(method)) {
                    List<Declared> found = nearest(promised);
                    if (!found.isEmpty()) {
                        return found;
                    }
                }
            }
        }
        return List.of();
    }

    private static boolean isCoveredByClass(Method method, Class<?> type) {
        return isController(type)
                ? looksLikeHandler(method, type)
                : !ReflectionUtils.isObjectMethod(method) && isCallableThroughBean(method, type);
    }

    private static boolean isCallableThroughBean(Method method, Class<?> type) {
        int modifiers = method.getModifiers();
        return !Modifier.isStatic(modifiers)
                && (Modifier.isPublic(modifiers) || !Modifier.isFinal(modifiers) && isInherited(method, type));
    }

    /** Whether a subclass in the package of the class, as a proxy is one, inherits the method. */
    private static boolean isInherited(Method method, Class<?> type) {
        int modifiers = method.getModifiers();
        return Modifier.isPublic(modifiers)
                || Modifier.isProtected(modifiers)
                || !Modifier.isPrivate(modifiers)
                        && method.getDeclaringClass().getPackageName().equals(type.getPackageName());
    }

    private static Map<Method, Method> aliases(Map<Method, List<Declared>> declared, Class<?> type) {
        Map<Method, Method> aliases = new HashMap<>();
        declared.keySet().forEach(method -> aliases.put(method, method));
        ReflectionUtils.doWithMethods(type, called -> alias(called, type, declared, aliases));
        for (Class<?> promised : ClassUtils.getAllInterfacesForClassAsSet(type)) {
            for (Method called : promised.getMethods()) {
                alias(called, type, declared, aliases);
            }
        }
        return aliases;
    }

    private static void alias(
            Method called, Class<?> type, Map<Method, List<Declared>> declared, Map<Method, Method> aliases) {
        Method specific = AopUtils.getMostSpecificMethod(called, type);
        if (declared.containsKey(specific)) {
            aliases.putIfAbsent(called, specific);
        }
    }

    /**
     * A proxy stands before a bean that needs one, and before a controller, whose handlers are limited without it, only
     * where it does no harm: a method that the proxy does not inherit, or a final one, would run on the proxy itself.
     */
    private static boolean isProxied(Map<Method, List<Declared>> declared, Class<?> type) {
        if (standsForItsInterfaces(type) || type.isInterface()) {
            return true;
        }
        return !Modifier.isFinal(type.getModifiers())
                && (needsProxy(declared, type)
                        || Arrays.stream(ReflectionUtils.getAllDeclaredMethods(type))
                                .noneMatch(method -> runsOnProxy(method, type)));
    }

    private static boolean needsProxy(Map<Method, List<Declared>> declared, Class<?> type) {
        return declared.entrySet().stream().anyMatch(entry -> {
            Method method = entry.getKey();
            return !looksLikeHandler(method, type)
                    || entry.getValue().stream().anyMatch(one -> LimitCompiler.namesArgument(one, method));
        });
    }

    private static boolean runsOnProxy(Method method, Class<?> type) {
        int modifiers = method.getModifiers();
        return !Modifier.isStatic(modifiers)
                && method.getDeclaringClass() != Object.class
                && (Modifier.isFinal(modifiers) || !isInherited(method, type) && method.getAnnotations().length > 0);
    }
}
