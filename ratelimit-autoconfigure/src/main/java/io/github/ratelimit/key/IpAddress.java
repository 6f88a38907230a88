package io.github.ratelimit.key;

import org.jspecify.annotations.Nullable;

/**
 * An IP address as 128 bits; an IPv4 address is held as its IPv4-mapped IPv6 address, so that both spellings are one.
 *
 * @param high the upper 64 bits
 * @param low the lower 64 bits
 */
public record IpAddress(long high, long low) {

    private static final long MAPPED = 0xffffL << 32;
    private static final int GROUPS = 8;

    /** The address with these bits. */
    public static IpAddress of(long high, long low) {
        return new IpAddress(high, low);
    }

    /**
     * Reads an address: four decimal octets, or any form of RFC 4291, whose zone id is dropped. Nothing around it is
     * understood (brackets, port, prefix length, blanks), and nothing is ever looked up.
     *
     * @return {@code null} when the text is no address
     */
    public static @Nullable IpAddress parse(String text) {
        return IpAddressReader.read(text, 0, text.length());
    }

    /** The IPv4 address with these 32 bits. */
    static IpAddress ofIpv4(long bits) {
        return new IpAddress(0, MAPPED | bits);
    }

    /** Whether this is an IPv4 address, however it was spelt. */
    public boolean isIpv4() {
        return isIpv4(high, low);
    }

    static boolean isIpv4(long high, long low) {
        return high == 0 && (low & 0xffff_ffff_0000_0000L) == MAPPED;
    }

    /**
     * This address cut to the prefix of its family.
     *
     * @param ipv4Length bits kept of an IPv4 address, 0 to 32
     * @param ipv6Length bits kept of an IPv6 address, 0 to 128
     */
    public IpAddress masked(int ipv4Length, int ipv6Length) {
        return cut(isIpv4() ? 96 + ipv4Length : ipv6Length);
    }

    /** This address with only the first bits of its 128 kept. */
    IpAddress cut(int bits) {
        return new IpAddress(high & prefix(Math.min(bits, 64)), low & prefix(Math.max(0, bits - 64)));
    }

    private static long prefix(int bits) {
        return bits == 0 ? 0 : -1L << (64 - bits);
    }

    /** Dotted decimal for IPv4, the canonical form of RFC 5952 for IPv6. */
    @Override
    public String toString() {
        return isIpv4() ? ipv4Text() : ipv6Text();
    }

    private String ipv4Text() {
        StringBuilder text = new StringBuilder(15);
        for (int shift = 24; shift >= 0; shift -= 8) {
            text.append(low >>> shift & 0xff).append(shift == 0 ? "" : ".");
        }
        return text.toString();
    }

    private String ipv6Text() {
        int gap = GROUPS;
        int gapEnd = GROUPS;
        for (int i = 0, end = 0; i < GROUPS; i = end + 1) {
            end = zerosEnd(i);
            if (end - i > Math.max(1, gapEnd - gap)) {
                gap = i;
                gapEnd = end;
            }
        }
        StringBuilder text = new StringBuilder(39);
        appendGroups(0, gap, text);
        if (gapEnd > gap) {
            appendGroups(gapEnd, GROUPS, text.append("::"));
        }
        return text.toString();
    }

    private int zerosEnd(int from) {
        int end = from;
        while (end < GROUPS && group(end) == 0) {
            end++;
        }
        return end;
    }

    private void appendGroups(int from, int to, StringBuilder text) {
        for (int i = from; i < to; i++) {
            text.append(i == from ? "" : ":").append(Integer.toHexString(group(i)));
        }
    }

    private int group(int index) {
        return (int) ((index < 4 ? high : low) >>> 48 - (index & 3) * 16) & 0xffff;
    }
}
