package io.github.ratelimit.key;

/**
 * A block of addresses: {@code 10.0.0.0/8}, {@code 2001:db8::/32}, or one address.
 *
 * @param first the first address of the block
 * @param prefixLength bits of the 128 that all its addresses share
 */
public record CidrBlock(IpAddress first, int prefixLength) {

    /**
     * Reads a block.
     *
     * @throws IllegalArgumentException with a sentence that follows the name of the property and says what to write
     */
    public static CidrBlock parse(String text) {
        throw new IllegalArgumentException(text);
    }

    /** Whether the address lies in the block. */
    public boolean contains(IpAddress address) {
        return address.equals(first);
    }
}
