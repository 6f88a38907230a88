package io.github.ratelimit.method;

import io.github.ratelimit.limiter.RuleStatistics;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.servlet.HandlerMapping;

/** All limits of one method, sorted by when they can be charged. Safe for use by many threads. */
final class MethodLimits {

    private final String name;
    private final CallCharger charger;
    private final Variables variables;
    private final List<Limit> all;
    private final List<Limit> early;
    private final List<Limit> late;
    private final List<Pattern> patterns;

    /**
     * One URL pattern of a handler, and its counters.
     *
     * @param path the pattern as the application writes it
     * @param statistics the counters of the rule that stands for it
     */
    record Pattern(String path, RuleStatistics statistics) {}

    /**
     * The limits of a method.
     *
     * @param name the method's, for operators
     * @param charger charges them
     * @param variables the names of the method's arguments
     * @param all the limits, at least one
     * @param patterns the URL patterns of a handler; empty for a method that is none
     */
    MethodLimits(String name, CallCharger charger, Variables variables, List<Limit> all, List<Pattern> patterns) {
        this.name = name;
        this.charger = charger;
        this.variables = variables;
        this.all = List.copyOf(all);
        this.early = all.stream().filter(limit -> !limit.argumentBound()).toList();
        this.late = all.stream().filter(Limit::argumentBound).toList();
        this.patterns = List.copyOf(patterns);
    }

    /** The method's name, for operators. */
    String name() {
        return name;
    }

    /** Charges them. */
    CallCharger charger() {
        return charger;
    }

    /** The names of the method's arguments. */
    Variables variables() {
        return variables;
    }

    /** Every limit. */
    List<Limit> all() {
        return all;
    }

    /** The limits that need no argument. */
    List<Limit> early() {
        return early;
    }

    /** The limits whose key or cost names an argument. */
    List<Limit> late() {
        return late;
    }

    /** Whether Spring MVC calls the method. */
    boolean handler() {
        return !patterns.isEmpty();
    }

    /** Counts a request for the rule of the pattern that it matched. */
    void count(HttpServletRequest request, boolean admitted) {
        Pattern matched = patterns.size() == 1 ? patterns.get(0) : matched(request);
        if (matched != null) {
            matched.statistics().count(admitted);
        }
    }

    private @Nullable Pattern matched(HttpServletRequest request) {
        Object best = request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
        for (Pattern pattern : patterns) {
            if (pattern.path().equals(best)) {
                return pattern;
            }
        }
        return patterns.isEmpty() ? null : patterns.get(0);
    }
}
