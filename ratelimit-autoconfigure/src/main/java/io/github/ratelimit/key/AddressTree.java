package io.github.ratelimit.key;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Blocks of addresses as a tree of their bits: the longest prefix that holds an address wins. IPv4 and IPv6 have a root
 * each, so that {@code ::/0} holds no IPv4 address.
 *
 * <p>Filled by one thread, then read by many; a look-up follows at most one node per bit and allocates nothing.
 *
 * @param <V> what is said of a block
 */
final class AddressTree<V> {

    private static final int IPV4_BIT = 96;
    private static final int NONE = 0;

    /** Two children for each node, 0 for none: no node is the child of another at 0. */
    private int[] children = new int[64];

    private final List<@Nullable V> values = new ArrayList<>();
    private final int ipv4Root = node();
    private final int ipv6Root = node();

    /** What is now said of a block; returns what was said before, {@code null} for nothing. */
    @Nullable
    V put(CidrBlock block, V value) {
        IpAddress first = block.first();
        int node = block.isIpv4() ? ipv4Root : ipv6Root;
        for (int bit = firstBit(block.isIpv4()); bit < block.prefixLength(); bit++) {
            int at = 2 * node + bit(first.high(), first.low(), bit);
            int child = children[at];
            if (child == NONE) {
                child = node();
                children[at] = child;
            }
            node = child;
        }
        return values.set(node, value);
    }

    /** What is said of the longest block that holds the address; {@code null} when none does. */
    @Nullable
    V find(long high, long low) {
        boolean ipv4 = IpAddress.isIpv4(high, low);
        int node = ipv4 ? ipv4Root : ipv6Root;
        V found = values.get(node);
        for (int bit = firstBit(ipv4); bit < 128; bit++) {
            node = children[2 * node + bit(high, low, bit)];
            if (node == NONE) {
                return found;
            }
            V value = values.get(node);
            found = value != null ? value : found;
        }
        return found;
    }

    private int node() {
        int node = values.size();
        values.add(null);
        if (2 * node + 1 >= children.length) {
            children = Arrays.copyOf(children, 2 * children.length);
        }
        return node;
    }

    private static int firstBit(boolean ipv4) {
        return ipv4 ? IPV4_BIT : 0;
    }

    private static int bit(long high, long low, int index) {
        return (int) (index < 64 ? high >>> 63 - index : low >>> 127 - index) & 1;
    }
}
