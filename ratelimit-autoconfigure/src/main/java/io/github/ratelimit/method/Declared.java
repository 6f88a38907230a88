package io.github.ratelimit.method;

import io.github.ratelimit.RateLimited;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * One annotation that limits a method, and where it is written.
 *
 * @param limit the annotation, its aliases merged
 * @param site the method or class that carries it, which may be one of an interface or superclass
 */
record Declared(RateLimited limit, AnnotatedElement site) {

    /** The method that carries it, whose parameter names its expressions use; {@code null} when a class does. */
    @Nullable
    Method siteMethod() {
        return site instanceof Method method ? method : null;
    }
}
