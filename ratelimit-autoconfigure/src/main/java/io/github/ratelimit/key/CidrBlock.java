package io.github.ratelimit.key;

/**
 * A block of addresses: {@code 10.0.0.0/8}, {@code 2001:db8::/32}, or one address.
 *
 * <p>An IPv6 block holds no IPv4 address, {@code ::/0} included; {@code ::ffff:10.0.0.0/104} is {@code 10.0.0.0/8}.
 *
 * @param first the first address of the block; bits beyond the prefix are cleared
 * @param prefixLength bits of the 128 that all its addresses share; for IPv4 blocks 96 more than the usual notation has
 */
public record CidrBlock(IpAddress first, int prefixLength) {

    private static final String FAULT = "is not a CIDR block; write an address and a prefix length,"
            + " such as 10.0.0.0/8 or 2001:db8::/32, or a single address";

    /** Clears the bits beyond the prefix. */
    public CidrBlock {
        if (prefixLength < 0 || prefixLength > 128) {
            throw new IllegalArgumentException("A prefix has 0 to 128 bits, not " + prefixLength);
        }
        first = first.cut(prefixLength);
    }

    /**
     * Reads a block. Bits set beyond the prefix are ignored: {@code 10.1.2.3/8} is {@code 10.0.0.0/8}.
     *
     * @throws IllegalArgumentException with a sentence that follows the name of the property and says what to write
     */
    public static CidrBlock parse(String text) {
        String block = text.strip();
        int slash = block.indexOf('/');
        IpAddress address = IpAddress.parse(slash < 0 ? block : block.substring(0, slash));
        // A zone id would promise a distinction that nothing here can make.
        if (address == null || block.indexOf('%') >= 0) {
            throw new IllegalArgumentException(FAULT);
        }
        if (slash < 0) {
            return new CidrBlock(address, 128);
        }
        boolean dotted = block.lastIndexOf(':', slash) < 0;
        int length = length(block, slash + 1, dotted ? 32 : 128);
        return new CidrBlock(address, dotted ? 96 + length : length);
    }

    private static int length(String text, int from, int max) {
        int digits = text.length() - from;
        boolean wellFormed = digits == 1 || (digits > 1 && digits <= 3 && text.charAt(from) != '0');
        int length = 0;
        for (int i = from; wellFormed && i < text.length(); i++) {
            char c = text.charAt(i);
            wellFormed = c >= '0' && c <= '9';
            length = length * 10 + c - '0';
        }
        if (!wellFormed || length > max) {
            throw new IllegalArgumentException(FAULT);
        }
        return length;
    }

    /** Whether its addresses are IPv4 addresses. */
    public boolean isIpv4() {
        return first.isIpv4();
    }

    /** Whether the address lies in the block. */
    public boolean contains(IpAddress address) {
        return address.isIpv4() == isIpv4() && address.cut(prefixLength).equals(first);
    }

    /** The canonical notation: {@code 10.0.0.0/8}; a single address has its prefix length too. */
    @Override
    public String toString() {
        return first + "/" + (isIpv4() ? prefixLength - 96 : prefixLength);
    }
}
