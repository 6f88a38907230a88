package io.github.ratelimit.method;

import java.lang.reflect.Method;
import org.springframework.aop.ClassFilter;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/** The methods that a proxy has to limit. */
final class RateLimitedPointcut extends StaticMethodMatcherPointcut {

    private final RateLimitedMethods methods;

    RateLimitedPointcut(RateLimitedMethods methods) {
        this.methods = methods;
    }

    @Override
    public ClassFilter getClassFilter() {
        return methods::isProxied;
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        return methods.annotated(targetClass).aliases().containsKey(method);
    }

    @Override
    public String toString() {
        return "methods limited by @RateLimited";
    }
}
