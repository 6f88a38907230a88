package io.github.ratelimit.key;

import org.jspecify.annotations.Nullable;

/**
 * A node as proxies write it (RFC 7239, section 6, and what is common in other headers): an address, perhaps in
 * brackets, with a port, quoted, between blanks.
 */
final class NodeName {

    private NodeName() {}

    /** The address of the node that fills a range of a text; {@code null} for {@code unknown}, {@code _hidden}, rubbish. */
    static @Nullable IpAddress address(String text, int from, int to) {
        int start = blanksEnd(text, from, to);
        int end = to;
        while (end > start && isBlank(text.charAt(end - 1))) {
            end--;
        }
        boolean quoted = end - start >= 2 && text.charAt(start) == '"' && text.charAt(end - 1) == '"';
        if (!quoted) {
            return unquoted(text, start, end);
        }
        if (indexOf('\\', text, start, end) < 0) {
            return unquoted(text, start + 1, end - 1);
        }
        String value = unescaped(text, start + 1, end - 1);
        return unquoted(value, 0, value.length());
    }

    static int blanksEnd(String text, int from, int to) {
        int end = from;
        while (end < to && isBlank(text.charAt(end))) {
            end++;
        }
        return end;
    }

    private static @Nullable IpAddress unquoted(String text, int from, int to) {
        if (from < to && text.charAt(from) == '[') {
            int bracket = indexOf(']', text, from, to);
            boolean wellFormed = bracket > 0 && (bracket + 1 == to || isPort(text, bracket + 1, to));
            return wellFormed ? IpAddressReader.read(text, from + 1, bracket) : null;
        }
        int colon = indexOf(':', text, from, to);
        if (colon >= 0 && indexOf(':', text, colon + 1, to) < 0) {
            return isPort(text, colon, to) ? IpAddressReader.read(text, from, colon) : null;
        }
        return IpAddressReader.read(text, from, to);
    }

    /** A colon and one to five digits, or a colon and a hidden port such as {@code _x1}. */
    private static boolean isPort(String text, int from, int to) {
        if (to - from < 2 || text.charAt(from) != ':') {
            return false;
        }
        boolean hidden = text.charAt(from + 1) == '_';
        if (hidden ? to - from < 3 : to - from > 6) {
            return false;
        }
        for (int i = hidden ? from + 2 : from + 1; i < to; i++) {
            char c = text.charAt(i);
            boolean digit = c >= '0' && c <= '9';
            int lower = c | 0x20;
            boolean word = (lower >= 'a' && lower <= 'z') || c == '.' || c == '_' || c == '-';
            if (!digit && !(hidden && word)) {
                return false;
            }
        }
        return true;
    }

    private static String unescaped(String text, int from, int to) {
        StringBuilder value = new StringBuilder(to - from);
        for (int i = from; i < to; i++) {
            boolean escape = text.charAt(i) == '\\' && i + 1 < to;
            value.append(text.charAt(escape ? ++i : i));
        }
        return value.toString();
    }

    /** Within a range: {@link String#indexOf(int, int)} would look through all hops for each of them. */
    private static int indexOf(char wanted, String text, int from, int to) {
        for (int i = from; i < to; i++) {
            if (text.charAt(i) == wanted) {
                return i;
            }
        }
        return -1;
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }
}
