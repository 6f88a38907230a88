package io.github.ratelimit.key;

/**
 * An IP address as 128 bits; an IPv4 address is held as its IPv4-mapped IPv6 address, so that both spellings are one.
 *
 * @param high the upper 64 bits
 * @param low the lower 64 bits
 */
public record IpAddress(long high, long low) {

    private static final long MAPPED = 0xffffL << 32;

    /** The address with these bits. */
    public static IpAddress of(long high, long low) {
        return new IpAddress(high, low);
    }

    /** Whether this is an IPv4 address, however it was spelt. */
    public boolean isIpv4() {
        return high == 0 && (low & 0xffff_ffff_0000_0000L) == MAPPED;
    }

    /**
     * This address cut to the prefix of its family.
     *
     * @param ipv4Length bits kept of an IPv4 address, 0 to 32
     * @param ipv6Length bits kept of an IPv6 address, 0 to 128
     */
    public IpAddress masked(int ipv4Length, int ipv6Length) {
        int bits = isIpv4() ? 96 + ipv4Length : ipv6Length;
        return new IpAddress(high & prefix(Math.min(bits, 64)), low & prefix(Math.max(0, bits - 64)));
    }

    private static long prefix(int bits) {
        return bits == 0 ? 0 : -1L << (64 - bits);
    }
}
