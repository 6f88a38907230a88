package io.github.ratelimit.key;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A key of several parts as one text, in which different parts never read alike: {@code |} parts them, an address that
 * stands in is marked {@code client-ip=}, a digest {@code #}; a text that contains or begins with these has a {@code \}
 * before them.
 */
final class CompositeKey {

    private static final char SEPARATOR = '|';
    private static final char ESCAPE = '\\';
    private static final String STAND_IN = "client-ip=";
    private static final String DIGEST = "#";

    private final StringBuilder text = new StringBuilder(RateLimitKey.MAX_TEXT_BYTES);
    private boolean empty = true;

    /** The next part. */
    void add(RateLimitKey part) {
        separate();
        String value = part.toString();
        if (part.kind() == RateLimitKey.Kind.DIGEST) {
            text.append(DIGEST);
        } else if (value.startsWith(STAND_IN) || value.startsWith(DIGEST)) {
            text.append(ESCAPE);
        }
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == SEPARATOR || c == ESCAPE) {
                text.append(ESCAPE);
            }
            text.append(c);
        }
    }

    /** The address in the place of the next part. */
    void addStandIn(RateLimitKey address) {
        separate();
        text.append(STAND_IN).append(address);
    }

    /** The key of all parts so far. */
    RateLimitKey key() {
        return RateLimitKey.ofText(text.toString());
    }

    private void separate() {
        if (!empty) {
            text.append(SEPARATOR);
        }
        empty = false;
    }

    /** The parts of a key that a person wrote, still escaped. */
    static List<String> split(String raw) {
        List<String> parts = new ArrayList<>();
        int start = 0;
        for (int i = 0; i < raw.length(); i++) {
            if (isEscape(raw, i)) {
                i++;
            } else if (raw.charAt(i) == SEPARATOR) {
                parts.add(raw.substring(start, i));
                start = i + 1;
            }
        }
        parts.add(raw.substring(start));
        return parts;
    }

    /** The address that a part names as standing in; {@code null} when it is a value. */
    static @Nullable String standIn(String part) {
        return part.startsWith(STAND_IN) ? part.substring(STAND_IN.length()) : null;
    }

    /** A value that is no part of several: only what looks like a standing-in address has a backslash before it. */
    static String unmarked(String value) {
        return value.startsWith(ESCAPE + STAND_IN) ? value.substring(1) : value;
    }

    /** The value that a person wrote. */
    static String unescaped(String part) {
        StringBuilder value = new StringBuilder(part.length());
        for (int i = part.startsWith(ESCAPE + STAND_IN) ? 1 : 0; i < part.length(); i++) {
            value.append(part.charAt(isEscape(part, i) ? ++i : i));
        }
        return value.toString();
    }

    /** Before anything else a backslash is itself. */
    private static boolean isEscape(String raw, int at) {
        if (raw.charAt(at) != ESCAPE || at + 1 == raw.length()) {
            return false;
        }
        char next = raw.charAt(at + 1);
        return next == SEPARATOR || next == ESCAPE;
    }
}
