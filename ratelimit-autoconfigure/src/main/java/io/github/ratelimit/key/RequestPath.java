package io.github.ratelimit.key;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The path that an application dispatches on: one spelling for all spellings of a request target.
 *
 * <p>Path parameters are removed and escapes decoded segment by segment, empty segments collapsed, dot segments
 * resolved, the context path and a trailing slash dropped. What would read differently the next time stays escaped:
 * {@code %2F}, {@code %25} and {@code %3B}. So a slash in a segment never parts it, and the path of a path is itself.
 *
 * @param value the path: {@code /} or segments each behind a slash
 */
public record RequestPath(String value) {

    /** The root. */
    public static final RequestPath ROOT = new RequestPath("/");

    /** A name that is decoded for a handler, and once more when it opens a file by a URL. */
    private static final int MOST_DECODED = 2;

    /**
     * The path of a request.
     *
     * @param requestUri the target as the client sent it, without the query
     * @param contextPath the beginning of it that is the context path, in any spelling; empty for the root
     */
    public static RequestPath of(String requestUri, String contextPath) {
        if (isCanonical(requestUri)) {
            if (contextPath.isEmpty()) {
                return new RequestPath(requestUri);
            }
            int length = contextPath.length();
            boolean below = length < requestUri.length() && requestUri.charAt(length) == '/';
            if (below && requestUri.startsWith(contextPath)) {
                return new RequestPath(requestUri.substring(length));
            }
        }
        return join(withoutContext(segments(requestUri), segments(contextPath)));
    }

    /**
     * What else some part of an application may take a target for. Containers, path patterns, Ant patterns and the
     * handlers of files do not read odd targets alike:
     *
     * <ul>
     *   <li>path patterns take empty and dot segments for names: {@code /api/../x} reaches a handler of {@code /api/**};
     *   <li>Ant patterns, and servers that are told so, part segments at escaped slashes, and some at backslashes;
     *   <li>servers that are told so decode {@code %u0061}, too;
     *   <li>files are found by names that are decoded once more, and without the blanks around them.
     * </ul>
     *
     * <p>Whoever looks for rules has to look for those of all readings.
     *
     * @param requestUri the target as the client sent it, without the query
     * @param contextPath the beginning of it that is the context path, as the request gives it; empty for the root
     * @return readings that differ from {@link #of} and from each other; nearly always none
     */
    static Set<RequestPath> otherReadings(String requestUri, String contextPath) {
        if (isCanonical(requestUri)) {
            return Set.of();
        }
        Set<RequestPath> readings = new LinkedHashSet<>();
        readings.add(join(withoutContext(literalSegments(requestUri), literalSegments(contextPath))));
        String text = PercentEncoding.decodedUtf16(withoutParameters(requestUri));
        String context = PercentEncoding.decodedUtf16(withoutParameters(contextPath));
        for (int times = 0; times < MOST_DECODED; times++) {
            text = decoded(text);
            context = decoded(context);
            for (boolean resolved : new boolean[] {true, false}) {
                readings.add(join(withoutContext(plainSegments(text, resolved), plainSegments(context, resolved))));
            }
        }
        readings.remove(of(requestUri, contextPath));
        return readings;
    }

    /** The path of a text in which nothing is escaped any more, such as a container gives it. */
    static RequestPath ofDecoded(String text) {
        return join(plainSegments(text, true));
    }

    /** The segments of a path, as this class spells them: of a request, or as it is written in a rule. */
    public static List<String> segments(String path) {
        List<String> segments = new ArrayList<>();
        for (int start = 0; start < path.length(); start = end(path, start) + 1) {
            push(segment(path, start, end(path, start)), segments);
        }
        return segments;
    }

    private static List<String> literalSegments(String path) {
        List<String> segments = new ArrayList<>();
        int last = 0;
        for (int start = path.startsWith("/") ? 1 : 0; start < path.length(); start = end(path, start) + 1) {
            String segment = segment(path, start, end(path, start));
            segments.add(segment);
            last = segment.isEmpty() ? last : segments.size();
        }
        // Trailing slashes mean nothing in either reading.
        return segments.subList(0, last);
    }

    /** A backslash parts segments too; blanks around a name do not count. */
    private static List<String> plainSegments(String text, boolean resolved) {
        String path = text.replace('\\', '/');
        List<String> segments = new ArrayList<>();
        for (int start = 0; start < path.length(); start = end(path, start) + 1) {
            String segment = withoutBlanks(path, start, end(path, start));
            if (resolved) {
                push(escaped(segment), segments);
            } else if (!segment.isEmpty()) {
                segments.add(escaped(segment));
            }
        }
        return segments;
    }

    private static String withoutBlanks(String path, int start, int end) {
        int from = start;
        int to = end;
        while (from < to && isBlank(path.charAt(from))) {
            from++;
        }
        while (to > from && isBlank(path.charAt(to - 1))) {
            to--;
        }
        return path.substring(from, to);
    }

    private static boolean isBlank(char c) {
        return c <= ' ' || c == 0x7f;
    }

    private static String withoutParameters(String path) {
        int parameter = path.indexOf(';');
        if (parameter < 0) {
            return path;
        }
        StringBuilder rest = new StringBuilder(path.length());
        int start = 0;
        for (int at = parameter; at >= 0; at = path.indexOf(';', start)) {
            rest.append(path, start, at);
            start = end(path, at);
        }
        return rest.append(path, start, path.length()).toString();
    }

    private static int end(String path, int start) {
        int slash = path.indexOf('/', start);
        return slash < 0 ? path.length() : slash;
    }

    /** One segment of this path, counted from 0, as the application sees it: nothing in it is escaped. */
    @Nullable
    String segment(int index) {
        int start = 1;
        for (int i = 0; i < index && start <= value.length(); i++) {
            start = end(value, start) + 1;
        }
        return start < value.length() ? decoded(value.substring(start, end(value, start))) : null;
    }

    private static String decoded(String segment) {
        return PercentEncoding.decoded(segment, 0, segment.length());
    }

    private static boolean isCanonical(String uri) {
        int length = uri.length();
        if (length == 0 || uri.charAt(0) != '/' || (length > 1 && uri.charAt(length - 1) == '/')) {
            return false;
        }
        char before = 0;
        for (int i = 0; i < length; i++) {
            char c = uri.charAt(i);
            boolean odd = c == '%' || c == ';' || c == '\\' || isBlank(c);
            if (odd || (before == '/' && (c == '/' || c == '.'))) {
                return false;
            }
            before = c;
        }
        return true;
    }

    private static void push(String segment, List<String> segments) {
        switch (segment) {
            case "", "." -> {}
            case ".." -> {
                if (!segments.isEmpty()) {
                    segments.remove(segments.size() - 1);
                }
            }
            default -> segments.add(segment);
        }
    }

    private static String segment(String path, int start, int end) {
        int stop = start;
        boolean escaped = false;
        while (stop < end && path.charAt(stop) != ';') {
            escaped |= path.charAt(stop) == '%';
            stop++;
        }
        return escaped ? escaped(PercentEncoding.decoded(path, start, stop)) : path.substring(start, stop);
    }

    private static String escaped(String text) {
        return text.replace("%", "%25").replace("/", "%2F").replace(";", "%3B");
    }

    private static List<String> withoutContext(List<String> segments, List<String> context) {
        boolean below = segments.size() >= context.size()
                && segments.subList(0, context.size()).equals(context);
        return below ? segments.subList(context.size(), segments.size()) : segments;
    }

    private static RequestPath join(List<String> segments) {
        return segments.isEmpty() ? ROOT : new RequestPath("/" + String.join("/", segments));
    }

    @Override
    public String toString() {
        return value;
    }
}
