package io.github.ratelimit.key;

import java.util.ArrayList;
import java.util.List;
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
     * The other reading of a target with empty or dot segments. Containers resolve them before they choose a servlet, but
     * the path patterns of Spring MVC take them for names: {@code /api/../x} reaches a handler of {@code /api/**}.
     * Whoever looks for rules has to look for those of both readings.
     *
     * @param requestUri the target as the client sent it, without the query
     * @param contextPath the beginning of it that is the context path, as the request gives it; empty for the root
     * @return {@code null} when both readings are the same
     */
    static @Nullable RequestPath literal(String requestUri, String contextPath) {
        if (isCanonical(requestUri)) {
            return null;
        }
        List<String> literal = literalSegments(requestUri);
        List<String> resolved = segments(requestUri);
        return literal.equals(resolved) ? null : join(withoutContext(literal, literalSegments(contextPath)));
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

    private static int end(String path, int start) {
        int slash = path.indexOf('/', start);
        return slash < 0 ? path.length() : slash;
    }

    /** The text of a segment that the application sees: nothing in it is escaped. */
    static String decoded(String segment) {
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
            if (c == '%' || c == ';' || (before == '/' && (c == '/' || c == '.'))) {
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
