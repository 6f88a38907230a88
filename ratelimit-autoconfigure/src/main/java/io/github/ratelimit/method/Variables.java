package io.github.ratelimit.method;

import jakarta.servlet.ServletRequest;
import java.lang.reflect.Method;
import java.security.Principal;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;

/**
 * What an expression on one method may name: the method's arguments by name, or by place as {@code #p0} and
 * {@code #a0}, the {@code #request} and the {@code #principal}.
 *
 * <p>An argument hides what Spring would give under its name, unless it is the same thing: a parameter
 * {@code HttpServletRequest request} is no reason to wait until the arguments are bound.
 */
final class Variables {

    static final String REQUEST = "request";
    static final String PRINCIPAL = "principal";

    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    private final Map<String, Integer> arguments = new HashMap<>();
    private final Set<String> names = new LinkedHashSet<>();
    private final boolean known;
    private final int count;

    private Variables(Method method, @Nullable Method site) {
        count = method.getParameterCount();
        for (int i = 0; i < count; i++) {
            arguments.put("p" + i, i);
            arguments.put("a" + i, i);
        }
        boolean ofMethod = name(method, method);
        boolean ofSite = site != null && site.getParameterCount() == count && name(site, method);
        known = ofMethod || ofSite;
    }

    /**
     * The variables of a method.
     *
     * @param site the method that carries the annotation, whose parameters may bear other names
     */
    static Variables of(Method method, @Nullable Method site) {
        return new Variables(method, site);
    }

    /** The place of an argument, negative when the name is none of an argument. */
    int argument(String name) {
        Integer index = arguments.get(name);
        return index == null ? -1 : index;
    }

    /** Whether an expression may use the name. */
    boolean contains(String name) {
        return arguments.containsKey(name) || name.equals(REQUEST) || name.equals(PRINCIPAL);
    }

    /** What may be written instead of a name that is not there, as a sentence. */
    String advice() {
        if (count == 0) {
            return "the method has no parameters; write #request or #principal";
        }
        return known
                ? "its parameters are " + String.join(", ", names)
                : "the names of its parameters are not in the class file; compile with -parameters, or write #p0"
                        + (count == 1 ? "" : " to #p" + (count - 1));
    }

    private boolean name(Method named, Method method) {
        @Nullable String[] found = NAMES.getParameterNames(named);
        if (found == null) {
            return false;
        }
        for (int i = 0; i < found.length; i++) {
            String name = found[i];
            if (name != null) {
                names.add(name);
                if (!isGivenAnyway(name, method.getParameterTypes()[i])) {
                    arguments.putIfAbsent(name, i);
                }
            }
        }
        return true;
    }

    private static boolean isGivenAnyway(String name, Class<?> type) {
        return name.equals(REQUEST) && ServletRequest.class.isAssignableFrom(type)
                || name.equals(PRINCIPAL) && Principal.class.isAssignableFrom(type);
    }
}
