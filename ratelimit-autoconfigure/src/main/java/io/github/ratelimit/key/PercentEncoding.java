package io.github.ratelimit.key;

import java.nio.charset.StandardCharsets;

/** Decodes {@code %41} in URLs as UTF-8. An escape that is none stays as it is; bytes that are no UTF-8 become U+FFFD. */
final class PercentEncoding {

    private PercentEncoding() {}

    /** A range of a path, decoded. */
    static String decoded(String text, int from, int to) {
        return decoded(text, from, to, false);
    }

    /** A range of a query string, decoded: a plus is a blank. */
    static String decodedQuery(String text, int from, int to) {
        return decoded(text, from, to, true);
    }

    private static String decoded(String text, int from, int to, boolean query) {
        int plain = from;
        while (plain < to && text.charAt(plain) != '%' && !(query && text.charAt(plain) == '+')) {
            plain++;
        }
        if (plain == to) {
            return text.substring(from, to);
        }
        StringBuilder result = new StringBuilder(to - from).append(text, from, plain);
        byte[] bytes = new byte[(to - plain) / 3];
        for (int i = plain; i < to; i++) {
            int length = 0;
            // Neighbouring escapes are decoded together: a character may take up to four of them.
            while (isEscape(text, i, to)) {
                bytes[length++] =
                        (byte) (HexDigits.value(text.charAt(i + 1)) << 4 | HexDigits.value(text.charAt(i + 2)));
                i += 3;
            }
            if (length > 0) {
                result.append(new String(bytes, 0, length, StandardCharsets.UTF_8));
            }
            if (i < to) {
                char c = text.charAt(i);
                result.append(query && c == '+' ? ' ' : c);
            }
        }
        return result.toString();
    }

    /** A path in which {@code %u0041}, an escape that no standard knows and some servers can be told to, is decoded. */
    static String decodedUtf16(String text) {
        if (!text.contains("%u") && !text.contains("%U")) {
            return text;
        }
        StringBuilder result = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            if (isUtf16Escape(text, i)) {
                result.append((char) Integer.parseInt(text, i + 2, i + 6, 16));
                i += 5;
            } else {
                result.append(text.charAt(i));
            }
        }
        return result.toString();
    }

    private static boolean isUtf16Escape(String text, int at) {
        if (at + 5 >= text.length() || text.charAt(at) != '%' || (text.charAt(at + 1) | 0x20) != 'u') {
            return false;
        }
        for (int i = at + 2; i < at + 6; i++) {
            if (HexDigits.value(text.charAt(i)) < 0) {
                return false;
            }
        }
        return true;
    }

    private static boolean isEscape(String text, int at, int to) {
        return at + 2 < to
                && text.charAt(at) == '%'
                && HexDigits.value(text.charAt(at + 1)) >= 0
                && HexDigits.value(text.charAt(at + 2)) >= 0;
    }
}
