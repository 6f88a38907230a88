package io.github.ratelimit.key;

import java.util.Enumeration;
import org.jspecify.annotations.Nullable;

/**
 * The hops that a forwarding header names, nearest first. It is read from its end, which trusted proxies wrote, so
 * nothing that a client put before it (an open quote, say) changes how their part is read.
 *
 * <p>No more than the last {@value #MAX_LENGTH} characters are read, each a fixed number of times.
 */
final class ForwardedHops {

    static final int MAX_LENGTH = 8192;

    /** How a header names its hops. */
    enum Format {
        /** A list of addresses, as {@code X-Forwarded-For} is. */
        LIST,
        /** A list of elements with parameters: RFC 7239. */
        FORWARDED,
        /** One address. */
        SINGLE;

        static Format of(String header) {
            if (header.equalsIgnoreCase("X-Forwarded-For")) {
                return LIST;
            }
            return header.equalsIgnoreCase("Forwarded") ? FORWARDED : SINGLE;
        }
    }

    private final String text;
    private final Format format;
    private final int start;
    private int end;

    private ForwardedHops(String text, Format format) {
        this.text = text;
        this.format = format;
        this.start = Math.max(0, text.length() - MAX_LENGTH);
        this.end = text.length();
    }

    /** The hops of all lines of a header; of one that holds a single address the last line counts. */
    static ForwardedHops of(@Nullable Enumeration<String> lines, Format format) {
        String text = "";
        StringBuilder joined = null;
        while (lines != null && lines.hasMoreElements()) {
            String line = lines.nextElement();
            if (format != Format.SINGLE && joined != null) {
                joined.append(',').append(line);
            } else if (format != Format.SINGLE && !text.isEmpty()) {
                joined = new StringBuilder(text).append(',').append(line);
            } else {
                text = line;
            }
        }
        return new ForwardedHops(joined == null ? text : joined.toString(), format);
    }

    /** The next hop; {@code null} at the end and at an entry that is no address: nothing behind either is to be read. */
    @Nullable
    IpAddress next() {
        if (end < start) {
            return null;
        }
        int comma = format == Format.SINGLE ? -1 : comma();
        int to = end;
        end = comma;
        // An entry that begins before what is read is not known.
        return comma < start && start > 0 ? null : hop(comma + 1, to);
    }

    /** The last comma that is not quoted; before the start when there is none. */
    private int comma() {
        boolean quoted = false;
        for (int i = end - 1; i >= start; i--) {
            char c = text.charAt(i);
            if (c == '"' && format == Format.FORWARDED) {
                quoted = !quoted || isEscaped(i);
            } else if (c == ',' && !quoted) {
                return i;
            }
        }
        return -1;
    }

    private boolean isEscaped(int at) {
        int backslashes = 0;
        while (at - backslashes > start && text.charAt(at - backslashes - 1) == '\\') {
            backslashes++;
        }
        return backslashes % 2 == 1;
    }

    private @Nullable IpAddress hop(int from, int to) {
        return format == Format.FORWARDED ? forwardedFor(from, to) : NodeName.address(text, from, to);
    }

    /** The {@code for} parameter of an element; an element with two of them says nothing. */
    private @Nullable IpAddress forwardedFor(int from, int to) {
        IpAddress found = null;
        boolean seen = false;
        for (int at = from; at < to; ) {
            int pairEnd = pairEnd(at, to);
            int name = NodeName.blanksEnd(text, at, pairEnd);
            if (text.regionMatches(true, name, "for=", 0, 4)) {
                if (seen) {
                    return null;
                }
                seen = true;
                found = NodeName.address(text, name + 4, pairEnd);
            }
            at = pairEnd + 1;
        }
        return found;
    }

    private int pairEnd(int from, int to) {
        boolean quoted = false;
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            if (c == '"') {
                quoted = !quoted;
            } else if (c == '\\' && quoted) {
                i++;
            } else if (c == ';' && !quoted) {
                return i;
            }
        }
        return to;
    }
}
