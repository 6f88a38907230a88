package io.github.ratelimit.key;

import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tells who the client of a request is, behind the proxies that are trusted.
 *
 * <p>The client is the peer of the connection. Only when the peer is trusted is the header believed: it is read from
 * its end, trusted hops are skipped, and the first other one is the client. An entry that is no address, be it empty,
 * hidden or rubbish, ends the reading: the last hop before it is the client.
 *
 * <p>Safe for use by many threads.
 */
public final class ClientAddress {

    /** Believes no header, and has the prefix lengths that a configuration has by default. */
    static final ClientAddress PEER = new ClientAddress(List.of(), "X-Forwarded-For", 32, 64);

    private final CidrBlock[] trusted;
    private final String header;
    private final ForwardedHops.Format format;
    private final int ipv4PrefixLength;
    private final int ipv6PrefixLength;

    /**
     * What is trusted.
     *
     * @param trusted the proxies whose header is believed
     * @param header {@code X-Forwarded-For}, {@code Forwarded}, or a header with a single address
     * @param ipv4PrefixLength bits that tell IPv4 clients apart, 0 to 32
     * @param ipv6PrefixLength bits that tell IPv6 clients apart, 0 to 128
     */
    public ClientAddress(List<CidrBlock> trusted, String header, int ipv4PrefixLength, int ipv6PrefixLength) {
        if (ipv4PrefixLength < 0 || ipv4PrefixLength > 32 || ipv6PrefixLength < 0 || ipv6PrefixLength > 128) {
            throw new IllegalArgumentException("A prefix has 0 to 32 bits for IPv4 and 0 to 128 for IPv6, not "
                    + ipv4PrefixLength + " and " + ipv6PrefixLength);
        }
        this.trusted = trusted.toArray(CidrBlock[]::new);
        this.header = header;
        this.format = ForwardedHops.Format.of(header);
        this.ipv4PrefixLength = ipv4PrefixLength;
        this.ipv6PrefixLength = ipv6PrefixLength;
    }

    /** The client, cut to its prefix; {@code null} when the peer has no address that can be read. */
    public @Nullable IpAddress of(HttpServletRequest request) {
        HttpServletRequest original = original(request);
        IpAddress peer = peer(original);
        if (peer == null) {
            return null;
        }
        IpAddress client = isTrusted(peer) ? behind(peer, original) : peer;
        return masked(client);
    }

    /** Whether the peer of the connection is a trusted proxy. */
    public boolean peerTrusted(HttpServletRequest request) {
        IpAddress peer = peer(original(request));
        return peer != null && isTrusted(peer);
    }

    /**
     * The key of an address as a person writes it, cut to its prefix; a block that is no wider than the prefix, such as
     * {@code 2001:db8:1:2::/64}, is read too.
     *
     * @throws IllegalArgumentException when it is neither
     */
    public RateLimitKey ofRaw(String address) {
        String text = address.strip();
        IpAddress client = text.indexOf('/') < 0 ? NodeName.address(text, 0, text.length()) : ofBlock(text);
        if (client == null) {
            throw new IllegalArgumentException("is no address; write one such as 203.0.113.7 or 2001:db8::1");
        }
        return RateLimitKey.ofAddress(masked(client));
    }

    /** Bits of the 128 that tell clients apart. */
    int prefixLength(boolean ipv4) {
        return ipv4 ? 96 + ipv4PrefixLength : ipv6PrefixLength;
    }

    /**
     * A block of clients as a person writes it, or one client.
     *
     * @throws IllegalArgumentException when it is neither, or names fewer addresses than are told apart
     */
    CidrBlock block(String text) {
        CidrBlock block = CidrBlock.parse(text);
        int prefixLength = prefixLength(block.isIpv4());
        if (block.prefixLength() > prefixLength) {
            throw new IllegalArgumentException("is narrower than the " + (block.isIpv4() ? "IPv4" : "IPv6")
                    + " prefix by which clients are told apart; write " + new CidrBlock(block.first(), prefixLength)
                    + ", or raise ratelimit.client-ip." + (block.isIpv4() ? "ipv4" : "ipv6") + "-prefix-length");
        }
        return block;
    }

    private @Nullable IpAddress ofBlock(String text) {
        CidrBlock block = CidrBlock.parse(text);
        return block.prefixLength() < prefixLength(block.isIpv4()) ? null : block.first();
    }

    /**
     * Filters such as Spring's {@code ForwardedHeaderFilter} wrap the request, put the leftmost entry in the place of the
     * peer and hide the header; anybody can write that entry, so it is looked through.
     */
    private static HttpServletRequest original(HttpServletRequest request) {
        HttpServletRequest original = request;
        ServletRequest current = request;
        while (current instanceof ServletRequestWrapper wrapper) {
            current = wrapper.getRequest();
            if (current instanceof HttpServletRequest inner) {
                original = inner;
            }
        }
        return original;
    }

    /** Some containers put brackets round an IPv6 peer. */
    private static @Nullable IpAddress peer(HttpServletRequest request) {
        String address = request.getRemoteAddr();
        return address == null ? null : NodeName.address(address, 0, address.length());
    }

    private IpAddress behind(IpAddress peer, HttpServletRequest request) {
        ForwardedHops hops = ForwardedHops.of(request.getHeaders(header), format);
        IpAddress client = peer;
        do {
            IpAddress hop = hops.next();
            if (hop == null) {
                return client;
            }
            client = hop;
        } while (isTrusted(client));
        return client;
    }

    private boolean isTrusted(IpAddress address) {
        for (CidrBlock block : trusted) {
            if (block.contains(address)) {
                return true;
            }
        }
        return false;
    }

    private IpAddress masked(IpAddress address) {
        return address.masked(ipv4PrefixLength, ipv6PrefixLength);
    }
}
