package io.github.ratelimit.observe;

import io.github.ratelimit.key.RateLimitKey;

/**
 * What everybody may see of a key: {@code 203.0.*.*} of an IPv4 address, {@code 2001:db8:*} of an IPv6 address, {@code al*} of a
 * text, {@code 9f86*} of a digest. At most half of a short text is shown.
 */
public final class MaskedKey {

    private static final int TEXT_CHARACTERS = 2;
    private static final int DIGEST_CHARACTERS = 4;

    private MaskedKey() {}

    /** What everybody may see of this key. */
    public static String of(RateLimitKey key) {
        return of(key.kind(), key.toString());
    }

    /** What everybody may see of a key that reads so in full. */
    public static String of(RateLimitKey.Kind kind, String text) {
        return switch (kind) {
            case ADDRESS -> text.indexOf(':') < 0 ? maskedIpv4(text) : maskedIpv6(text);
            case TEXT -> maskedText(text);
            case DIGEST -> text.substring(0, DIGEST_CHARACTERS) + "*";
        };
    }

    private static String maskedIpv4(String address) {
        int secondDot = address.indexOf('.', address.indexOf('.') + 1);
        return address.substring(0, secondDot) + ".*.*";
    }

    private static String maskedIpv6(String address) {
        int first = address.indexOf(':');
        int second = address.indexOf(':', first + 1);
        return group(address, 0, first) + ":" + group(address, first + 1, second) + ":*";
    }

    /** A group of which nothing is written is one of the zeros that {@code ::} stands for. */
    private static String group(String address, int from, int to) {
        return from == to ? "0" : address.substring(from, to);
    }

    private static String maskedText(String text) {
        int shown = Math.min(TEXT_CHARACTERS, text.codePointCount(0, text.length()) / 2);
        return text.substring(0, text.offsetByCodePoints(0, shown)) + "*";
    }
}
