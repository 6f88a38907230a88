package io.github.ratelimit.key;

import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tells who the client of a request is, behind the proxies that are trusted. */
public final class ClientAddress {

    /**
     * What is trusted.
     *
     * @param trusted the proxies whose header is believed
     * @param header {@code X-Forwarded-For}, {@code Forwarded}, or a header with a single address
     * @param ipv4PrefixLength bits that tell IPv4 clients apart, 0 to 32
     * @param ipv6PrefixLength bits that tell IPv6 clients apart, 0 to 128
     */
    public ClientAddress(List<CidrBlock> trusted, String header, int ipv4PrefixLength, int ipv6PrefixLength) {}

    /** The client, cut to its prefix; {@code null} when the peer has no address that can be read. */
    public @Nullable IpAddress of(HttpServletRequest request) {
        return null;
    }

    /** The key of an address as a person writes it, cut to its prefix. */
    public RateLimitKey ofRaw(String address) {
        throw new IllegalArgumentException(address);
    }
}
