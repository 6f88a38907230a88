package io.github.ratelimit.key;

import com.google.common.net.InetAddresses;
import inet.ipaddr.AddressStringParameters.RangeParameters;
import inet.ipaddr.IPAddress;
import inet.ipaddr.IPAddressString;
import inet.ipaddr.IPAddressStringParameters;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What others take for an address. Both are asked only about texts of printable ASCII: Guava reads the digits of all
 * scripts, and IPAddress ignores blanks around an address, which RFC 4291 has not.
 */
final class AddressOracles {

    private static final IPAddressStringParameters PLAIN = plain();

    private AddressOracles() {}

    private static IPAddressStringParameters plain() {
        IPAddressStringParameters.Builder builder = new IPAddressStringParameters.Builder()
                .allowEmpty(false)
                .allowAll(false)
                .allowSingleSegment(false)
                .allowPrefix(false)
                .allowMask(false)
                .allowWildcardedSeparator(false)
                .allow_inet_aton(false)
                .setRangeOptions(RangeParameters.NO_RANGE);
        builder.getIPv4AddressParametersBuilder().allowLeadingZeros(false).allowBinary(false);
        builder.getIPv6AddressParametersBuilder()
                .allowUnlimitedLeadingZeros(false)
                .allowZone(false)
                .allowBase85(false)
                .allowBinary(false)
                .allow_mixed_inet_aton(false)
                .getEmbeddedIPv4AddressParametersBuilder()
                .allowLeadingZeros(false);
        return builder.toParams();
    }

    /** As Guava reads it; an IPv6 address may have a zone id, whatever it is. */
    static @Nullable IpAddress guava(String text) {
        String plain = withoutZone(text);
        return plain != null && InetAddresses.isInetAddress(plain) ? address(InetAddresses.forString(plain)) : null;
    }

    /** As the library IPAddress reads it, when it is told to read nothing but plain addresses. */
    static @Nullable IpAddress ipAddress(String text) {
        String plain = withoutZone(text);
        IPAddress address = plain == null ? null : new IPAddressString(plain, PLAIN).getAddress();
        return address == null ? null : address(address.toInetAddress());
    }

    private static @Nullable String withoutZone(String text) {
        int zone = text.indexOf('%');
        if (text.substring(0, zone < 0 ? text.length() : zone).chars().anyMatch(c -> c <= ' ' || c > '~')) {
            return null;
        }
        if (zone < 0) {
            return text;
        }
        String plain = text.substring(0, zone);
        return zone + 1 < text.length() && plain.indexOf(':') >= 0 ? plain : null;
    }

    private static IpAddress address(InetAddress address) {
        byte[] bytes = address.getAddress();
        ByteBuffer all = ByteBuffer.allocate(16);
        if (bytes.length == 4) {
            all.putLong(0).putInt(0xffff);
        }
        all.put(bytes).flip();
        return IpAddress.of(all.getLong(), all.getLong());
    }
}
