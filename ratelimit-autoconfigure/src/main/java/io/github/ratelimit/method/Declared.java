package io.github.ratelimit.method;

import io.github.ratelimit.RateLimited;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.SystemPropertyUtils;

/**
 * One annotation that limits a method, and where it is written.
 *
 * @param limit the annotation, its aliases merged
 * @param site the method or class that carries it, which may be one of an interface or superclass
 */
record Declared(RateLimited limit, AnnotatedElement site) {

    /** The same with its placeholders replaced; those for which there is no property stay. */
    Declared resolved(UnaryOperator<String> placeholders) {
        Map<String, Object> attributes =
                new HashMap<>(MergedAnnotation.from(limit).asMap());
        if (attributes.values().stream().noneMatch(Declared::hasPlaceholder)) {
            return this;
        }
        attributes.replaceAll((name, value) -> value instanceof String text ? placeholders.apply(text) : value);
        return new Declared(MergedAnnotation.of(RateLimited.class, attributes).synthesize(), site);
    }

    /** Whether a value of the annotation has a placeholder. */
    static boolean hasPlaceholder(Object value) {
        return value instanceof String text && text.contains(SystemPropertyUtils.PLACEHOLDER_PREFIX);
    }

    /** The method that carries it, whose parameter names its expressions use; {@code null} when a class does. */
    @Nullable
    Method siteMethod() {
        return site instanceof Method method ? method : null;
    }
}
