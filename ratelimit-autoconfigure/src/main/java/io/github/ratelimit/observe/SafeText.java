package io.github.ratelimit.observe;

import org.jspecify.annotations.Nullable;

/**
 * Makes what a client has sent fit for a log line, a terminal and a page: control characters, line separators, marks that
 * change the direction of writing and halves of characters become {@code \}{@code u000a}, and a backslash is doubled, so that no two
 * texts read alike.
 */
public final class SafeText {

    private static final String ELLIPSIS = "\u2026";

    private SafeText() {}

    /** At most so many UTF-16 units, no character cut in half, an ellipsis where something is missing. */
    static @Nullable String cut(@Nullable String text, int length) {
        if (text == null || text.length() <= length) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(length - 1)) ? length - 1 : length;
        return text.substring(0, end) + ELLIPSIS;
    }

    /** The text as it may be shown; the same object where nothing has to be escaped. */
    public static String escaped(String text) {
        return escaped(text, '\\');
    }

    /** The text between quotation marks, those within it escaped; a dash for none. */
    public static String quoted(@Nullable String text) {
        return text == null ? "-" : '"' + escaped(text, '"') + '"';
    }

    private static String escaped(String text, char quote) {
        int at = 0;
        while (at < text.length() && isPlain(text.charAt(at), quote)) {
            at++;
        }
        return at == text.length() ? text : escaped(text, quote, at);
    }

    private static String escaped(String text, char quote, int from) {
        StringBuilder escaped = new StringBuilder(text.length() + 16).append(text, 0, from);
        for (int at = from; at < text.length(); ) {
            int character = text.codePointAt(at);
            if (character == '\\' || character == quote) {
                escaped.append('\\').append((char) character);
            } else if (isHarmful(character)) {
                appendUnits(escaped, text, at, Character.charCount(character));
            } else {
                escaped.appendCodePoint(character);
            }
            at += Character.charCount(character);
        }
        return escaped.toString();
    }

    private static boolean isPlain(char unit, char quote) {
        return unit >= ' ' && unit <= '~' && unit != '\\' && unit != quote;
    }

    private static boolean isHarmful(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED -> true;
            default -> false;
        };
    }

    private static void appendUnits(StringBuilder escaped, String text, int from, int units) {
        for (int i = from; i < from + units; i++) {
            String hex = Integer.toHexString(text.charAt(i));
            escaped.append("\\u").append("0".repeat(4 - hex.length())).append(hex);
        }
    }
}
