package io.github.ratelimit.key;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The path that an application dispatches on: one spelling for all spellings of a request target.
 *
 * <p>Path parameters are removed and escapes decoded segment by segment, empty segments collapsed, dot segments
 * resolved, the context path and a trailing slash dropped. An escaped slash stays {@code %2F}: it is part of a segment.
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
     * @param contextPath the context path as configured, decoded; empty for the root
     */
    public static RequestPath of(String requestUri, String contextPath) {
        if (contextPath.isEmpty() && isCanonical(requestUri)) {
            return new RequestPath(requestUri);
        }
        List<String> segments = segments(requestUri);
        return join(withoutContext(segments, contextPath));
    }

    /** The segments of a path as it is written in a rule. */
    public static List<String> segments(String path) {
        List<String> segments = new ArrayList<>();
        int start = 0;
        while (start < path.length()) {
            int end = path.indexOf('/', start);
            if (end < 0) {
                end = path.length();
            }
            push(segment(path, start, end), segments);
            start = end + 1;
        }
        return segments;
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
        int parameters = path.indexOf(';', start);
        String raw = path.substring(start, parameters >= 0 && parameters < end ? parameters : end);
        return raw.indexOf('%') < 0 ? raw : decoded(raw);
    }

    private static String decoded(String raw) {
        ByteBuffer bytes = ByteBuffer.allocate(raw.length() * 3);
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            int high = c == '%' && i + 2 < raw.length() ? Character.digit(raw.charAt(i + 1), 16) : -1;
            int low = high >= 0 ? Character.digit(raw.charAt(i + 2), 16) : -1;
            if (low < 0) {
                int end = Character.isHighSurrogate(c) && i + 1 < raw.length() ? i + 2 : i + 1;
                bytes.put(StandardCharsets.UTF_8.encode(CharBuffer.wrap(raw, i, end)));
                i = end - 1;
            } else {
                bytes.put((byte) (high << 4 | low));
                i += 2;
            }
        }
        return new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8).replace("/", "%2F");
    }

    private static List<String> withoutContext(List<String> segments, String contextPath) {
        List<String> context = segments(contextPath);
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
