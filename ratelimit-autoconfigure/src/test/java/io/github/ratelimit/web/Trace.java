package io.github.ratelimit.web;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** What happened to each request: its stations, in order, with the kind of dispatch that each has seen. */
final class Trace {

    /** The header that tells requests apart. */
    static final String ID = "X-Id";

    private static final Map<String, List<String>> STATIONS = new ConcurrentHashMap<>();

    private Trace() {}

    /** A request is at a station. */
    static void note(ServletRequest request, String station) {
        String id = Objects.requireNonNullElse(((HttpServletRequest) request).getHeader(ID), "");
        STATIONS.computeIfAbsent(id, key -> new CopyOnWriteArrayList<>())
                .add(station + " " + request.getDispatcherType());
    }

    /** The stations so far; forgets them. */
    static List<String> take(String id) {
        List<String> stations = STATIONS.remove(id);
        return stations == null ? List.of() : stations;
    }

    /** A filter of the plainest kind. */
    static Filter filter(String name) {
        return new Station(name);
    }

    private record Station(String name) implements Filter {

        @Override
        public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
                throws IOException, ServletException {
            note(request, name);
            chain.doFilter(request, response);
        }
    }
}
