package io.github.ratelimit.key;

import org.jspecify.annotations.Nullable;

/**
 * Reads the text of an address in one pass, without allocating anything but the result. However long the text is, no
 * more than the longest address is looked at.
 */
final class IpAddressReader {

    /** {@code ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255}. */
    private static final int LONGEST = 45;

    private static final long NO_QUAD = -1;

    private final String text;
    private final int end;
    private int at;

    // The groups read so far as one 128-bit number, and those of them that stand before the "::".
    private long high;
    private long low;
    private int groups;
    private boolean gap;
    private long headHigh;
    private long headLow;
    private int headGroups;

    private IpAddressReader(String text, int from, int end) {
        this.text = text;
        this.at = from;
        this.end = end;
    }

    /** The address that fills this range of the text; {@code null} when it is none. */
    static @Nullable IpAddress read(String text, int from, int to) {
        int last = Math.min(to, from + LONGEST + 1);
        boolean colon = false;
        int end = from;
        while (end < last && text.charAt(end) != '%') {
            colon |= text.charAt(end) == ':';
            end++;
        }
        boolean emptyZone = end == to - 1;
        if (end - from > LONGEST || emptyZone) {
            return null;
        }
        if (!colon) {
            long quad = end == to ? quad(text, from, to) : NO_QUAD;
            return quad == NO_QUAD ? null : IpAddress.ofIpv4(quad);
        }
        return new IpAddressReader(text, from, end).ipv6();
    }

    /** Four decimal octets; one with a leading zero is refused, since some read it as octal. */
    private static long quad(String text, int from, int to) {
        long bits = 0;
        int at = from;
        for (int octets = 0; octets < 4; octets++) {
            if (octets > 0 && (at == to || text.charAt(at++) != '.')) {
                return NO_QUAD;
            }
            int start = at;
            int octet = 0;
            while (at < to && at - start < 3 && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
                octet = octet * 10 + text.charAt(at++) - '0';
            }
            if (at == start || octet > 255 || (at - start > 1 && text.charAt(start) == '0')) {
                return NO_QUAD;
            }
            bits = bits << 8 | octet;
        }
        return at == to ? bits : NO_QUAD;
    }

    private @Nullable IpAddress ipv6() {
        if (text.startsWith("::", at)) {
            openGap();
        }
        while (at < end) {
            if (!group()) {
                return null;
            }
            if (at < end && !separator()) {
                return null;
            }
        }
        return groups == 8 ? (gap ? null : IpAddress.of(high, low)) : (gap ? filled() : null);
    }

    /** One to four hexadecimal digits, or the IPv4 address that ends the text. */
    private boolean group() {
        int start = at;
        int value = 0;
        while (at < end && at - start < 4 && HexDigits.value(text.charAt(at)) >= 0) {
            value = value << 4 | HexDigits.value(text.charAt(at++));
        }
        if (at < end && text.charAt(at) == '.') {
            long quad = groups > 6 ? NO_QUAD : quad(text, start, end);
            push(quad >>> 16);
            push(quad & 0xffff);
            at = end;
            return quad != NO_QUAD;
        }
        if (at == start || groups == 8) {
            return false;
        }
        push(value);
        return true;
    }

    /** A colon with a group behind it, or the only double colon. */
    private boolean separator() {
        if (text.charAt(at) != ':' || at + 1 == end) {
            return false;
        }
        if (text.charAt(at + 1) != ':') {
            at++;
            return true;
        }
        if (gap) {
            return false;
        }
        openGap();
        return true;
    }

    private void openGap() {
        at += 2;
        gap = true;
        headHigh = high;
        headLow = low;
        headGroups = groups;
        high = 0;
        low = 0;
    }

    private void push(long group) {
        high = high << 16 | low >>> 48;
        low = low << 16 | group;
        groups++;
    }

    /** The groups before the gap moved to the top; those behind it already stand at the bottom. */
    private IpAddress filled() {
        int shift = 16 * (8 - headGroups);
        if (shift >= 64) {
            return IpAddress.of(high | headLow << shift - 64, low);
        }
        return IpAddress.of(high | headHigh << shift | headLow >>> 64 - shift, low | headLow << shift);
    }
}
