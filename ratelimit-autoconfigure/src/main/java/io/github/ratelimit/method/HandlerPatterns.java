package io.github.ratelimit.method;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** The URL patterns under which Spring MVC calls each handler method. */
final class HandlerPatterns {

    private final Map<MethodSite, List<Mapped>> mapped = new HashMap<>();

    /**
     * One pattern of a handler.
     *
     * @param path the pattern, {@code ""} for the root of the servlet
     * @param rule the pattern below the context path: the path of the servlet is part of it
     * @param methods the verbs, none for all
     */
    record Mapped(String path, String rule, Set<String> methods) {}

    /**
     * The patterns of handlers.
     *
     * @param servletPath the path of Spring MVC's servlet, {@code ""} for the root
     */
    HandlerPatterns(Collection<RequestMappingHandlerMapping> mappings, String servletPath) {
        for (RequestMappingHandlerMapping mapping : mappings) {
            mapping.getHandlerMethods()
                    .forEach((info, handler) -> mapped.computeIfAbsent(
                                    new MethodSite(handler.getBeanType(), handler.getMethod()),
                                    site -> new ArrayList<>())
                            .addAll(patterns(info, servletPath)));
        }
    }

    /** The patterns of a method, none when it is no handler. */
    List<Mapped> of(MethodSite site) {
        return mapped.getOrDefault(site, List.of());
    }

    private static List<Mapped> patterns(RequestMappingInfo info, String servletPath) {
        Set<String> methods = info.getMethodsCondition().getMethods().stream()
                .map(Enum::name)
                .collect(Collectors.toUnmodifiableSet());
        return new TreeSet<>(info.getPatternValues())
                .stream()
                        .map(path -> new Mapped(path, rule(servletPath + path), methods))
                        .toList();
    }

    private static String rule(String path) {
        return path.isEmpty() ? "/" : path;
    }
}
