package io.github.ratelimit.key;

import org.jspecify.annotations.Nullable;

/** Reads parameters from a query string; a container's own look-up would also read the body. */
final class QueryString {

    private QueryString() {}

    /** The first value of a parameter, decoded, as the application gets it; {@code null} when there is none. */
    static @Nullable String first(@Nullable String query, String name) {
        for (int at = 0; query != null && at < query.length(); ) {
            int ampersand = query.indexOf('&', at);
            int end = ampersand < 0 ? query.length() : ampersand;
            int equals = at;
            while (equals < end && query.charAt(equals) != '=') {
                equals++;
            }
            if (isName(query, at, equals, name)) {
                return equals == end ? "" : PercentEncoding.decodedQuery(query, equals + 1, end);
            }
            at = end + 1;
        }
        return null;
    }

    private static boolean isName(String query, int from, int to, String name) {
        if (isEscaped(query, from, to)) {
            return PercentEncoding.decodedQuery(query, from, to).equals(name);
        }
        return to - from == name.length() && query.startsWith(name, from);
    }

    private static boolean isEscaped(String query, int from, int to) {
        for (int i = from; i < to; i++) {
            if (query.charAt(i) == '%' || query.charAt(i) == '+') {
                return true;
            }
        }
        return false;
    }
}
