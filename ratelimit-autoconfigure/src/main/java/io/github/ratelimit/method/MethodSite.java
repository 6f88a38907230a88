package io.github.ratelimit.method;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A method of a bean's class, which may be declared further up.
 *
 * @param type the class of the bean
 * @param method the method as the class has it
 */
record MethodSite(Class<?> type, Method method) {

    /** The same order in every run. */
    static final Comparator<MethodSite> ORDER = Comparator.comparing(MethodSite::fullName);

    /** From the shortest name to the one that says most. */
    static final List<Function<MethodSite, String>> NAMES =
            List.of(MethodSite::shortName, MethodSite::longName, MethodSite::fullName);

    /** The method for a person who looks for it in the code: {@code com.acme.Shop#search}. */
    String where() {
        return type.getName() + "#" + method.getName();
    }

    /** The name without the package. */
    String shortName() {
        return type.getSimpleName() + "#" + method.getName();
    }

    private String longName() {
        return shortName()
                + Arrays.stream(method.getParameterTypes())
                        .map(Class::getSimpleName)
                        .collect(Collectors.joining(",", "(", ")"));
    }

    private String fullName() {
        String of = type.getPackageName();
        return of.isEmpty() ? longName() : of + "." + longName();
    }
}
