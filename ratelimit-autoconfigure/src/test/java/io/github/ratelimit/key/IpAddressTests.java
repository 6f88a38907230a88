package io.github.ratelimit.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IpAddressTests {

    @ParameterizedTest
    @CsvSource({
        "0.0.0.0, 0.0.0.0",
        "203.0.113.7, 203.0.113.7",
        "255.255.255.255, 255.255.255.255",
        "::, ::",
        "::1, ::1",
        "1::, 1::",
        "0:0:0:0:0:0:0:1, ::1",
        "2001:DB8:1:2:0:0:0:1, 2001:db8:1:2::1",
        "2001:0db8:0001:0002:0000:0000:0000:0001, 2001:db8:1:2::1",
        "2001:db8::0:1:0:0:1, 2001:db8::1:0:0:1",
        "2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
        "1:0:0:2:0:0:0:3, 1:0:0:2::3",
        "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
        "1:2:3:4:5:6:7::, 1:2:3:4:5:6:7:0",
        "::2:3:4:5:6:7:8, 0:2:3:4:5:6:7:8",
        "1::3:4:5:6:7:8, 1:0:3:4:5:6:7:8",
        "64:ff9b::192.0.2.33, 64:ff9b::c000:221",
        "1:2:3:4:5:6:1.2.3.4, 1:2:3:4:5:6:102:304",
        "::1.2.3.4, ::102:304",
        "::ffff:1.2.3.4, 1.2.3.4",
        "::FFFF:102:304, 1.2.3.4",
        "0:0:0:0:0:ffff:102:304, 1.2.3.4",
        "::ffff:0:0, 0.0.0.0",
        "fe80::1%eth0, fe80::1",
        "fe80:0:0:0:0:0:0:1%25lo, fe80::1",
        "::ffff:1.2.3.4%1, 1.2.3.4",
        "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255%eth0, ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255, ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"
    })
    void parseWhenAddressThenCanonicalText(String text, String canonical) {
        assertThat(IpAddress.parse(text)).hasToString(canonical);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                ".",
                ":",
                "%",
                "%eth0",
                "1",
                "1.2.3",
                "1.2.3.",
                "1.2.3.4.",
                ".1.2.3.4",
                "1.2.3.4.5",
                "1..3.4",
                "01.2.3.4",
                "1.2.3.04",
                "1.2.3.00",
                "0x1.2.3.4",
                "256.1.1.1",
                "1.2.3.999",
                "1.2.3.1234",
                "-1.2.3.4",
                "+1.2.3.4",
                "1.2.3.4 ",
                " 1.2.3.4",
                "1.2.3.4%eth0",
                "1.2.3.4:80",
                "1.2.3.a",
                "\u0661.2.3.4",
                "\uff11.2.3.4",
                "3405803783",
                ":::",
                "1:::2",
                "::1::",
                "1::2::3",
                "1:2:3:4:5:6:7",
                "1:2:3:4:5:6:7:",
                ":1:2:3:4:5:6:7",
                "1:2:3:4:5:6:7:8:9",
                "1:2:3:4:5:6:7:8::",
                "::1:2:3:4:5:6:7:8",
                "1:2:3:4::5:6:7:8",
                "12345::",
                "g::",
                "::\uff11",
                "::1%",
                "::1:",
                ":1",
                "1:",
                "::1.2.3",
                "::1.2.3.4.5",
                "::1.2.3.4:5",
                "::01.2.3.4",
                "1:2:3:4:5:6:7:1.2.3.4",
                "::1:2:3:4:5:6:7:8:9",
                "::1:2:3:4:5:6:7:1.2.3.4",
                "1:2:3:4:5:6:7::1.2.3.4",
                "1:2:3:4:5:6::1.2.3.4",
                "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255x",
                "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.2555",
                "1.2.3.4::",
                "::256.1.1.1",
                "[::1]",
                "[::1]:80",
                "::1/64",
                "localhost",
                "example.com",
                "unknown",
                "_hidden",
                "2001:db8::1 ",
                "1:2:3:4:5:6:7:8%",
                "::1\u0000"
            })
    void parseWhenNoAddressThenNull(String text) {
        assertThat(IpAddress.parse(text)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "1.", ":", "::", "0:", "%", "fe80::1%", "[", "\u0000"})
    void parseWhenTextIsLongThenOnlyItsBeginningIsRead(String unit) {
        String text = unit.repeat(1_000_000);
        IpAddress address = IpAddress.parse(text);
        // Only a zone id may be long, and none of it is read.
        assertThat(address).isEqualTo(unit.equals("fe80::1%") ? IpAddress.parse("fe80::1") : null);
    }

    @Test
    void parseWhenRandomAddressInAnySpellingThenSameBits() throws UnknownHostException {
        Random random = new Random(20_261_129);
        List<String> wrong = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            byte[] bytes = randomBytes(random);
            InetAddress expected = InetAddress.getByAddress(bytes);
            String text = spelling(expected, bytes, random);
            if (!address(expected.getAddress()).equals(IpAddress.parse(text))) {
                wrong.add(text);
            }
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void toStringWhenParsedAgainThenSameAddress() {
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            IpAddress address = address(randomBytes(random));
            assertThat(IpAddress.parse(address.toString())).isEqualTo(address);
        }
    }

    @Test
    void parseWhenRandomCharactersThenNeverThrows() {
        Random random = new Random(3);
        String alphabet = "0123456789abfF:.%:: g";
        for (int i = 0; i < 100_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int length = random.nextInt(50); length > 0; length--) {
                text.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            IpAddress address = IpAddress.parse(text.toString());
            if (address != null) {
                assertThat(IpAddress.parse(address.toString()))
                        .as(text.toString())
                        .isEqualTo(address);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "203.0.113.7, 32, 64, 203.0.113.7",
        "203.0.113.7, 24, 64, 203.0.113.0",
        "203.0.113.7, 0, 64, 0.0.0.0",
        "::ffff:203.0.113.7, 16, 0, 203.0.0.0",
        "2001:db8:1:2:3:4:5:6, 32, 64, 2001:db8:1:2::",
        "2001:db8:1:2:3:4:5:6, 32, 56, 2001:db8:1::",
        "2001:db8:1:2:3:4:5:6, 32, 65, 2001:db8:1:2::",
        "2001:db8:1:2:ffff:4:5:6, 32, 65, 2001:db8:1:2:8000::",
        "2001:db8:1:2:3:4:5:6, 32, 128, 2001:db8:1:2:3:4:5:6",
        "2001:db8:1:2:3:4:5:6, 32, 0, ::"
    })
    void maskedWhenCutThenPrefixOfItsFamily(String text, int ipv4Length, int ipv6Length, String masked) {
        IpAddress address = Objects.requireNonNull(IpAddress.parse(text));
        assertThat(address.masked(ipv4Length, ipv6Length)).hasToString(masked);
    }

    private static byte[] randomBytes(Random random) {
        byte[] bytes = new byte[random.nextInt(4) == 0 ? 4 : 16];
        random.nextBytes(bytes);
        for (int i = 0; bytes.length == 16 && i < 16; i += 2) {
            if (random.nextInt(3) == 0) {
                bytes[i] = 0;
                bytes[i + 1] = (byte) (random.nextBoolean() ? 0 : random.nextInt(16));
            }
        }
        if (bytes.length == 16 && random.nextInt(8) == 0) {
            System.arraycopy(new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1}, 0, bytes, 0, 12);
        }
        return bytes;
    }

    private static IpAddress address(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return bytes.length == 4
                ? IpAddress.of(0, 0xffffL << 32 | (buffer.getInt() & 0xffff_ffffL))
                : IpAddress.of(buffer.getLong(), buffer.getLong());
    }

    /** One of the many ways in which RFC 4291 lets an address be written. */
    private static String spelling(InetAddress address, byte[] bytes, Random random) {
        if (bytes.length == 4) {
            return random.nextBoolean() ? address.getHostAddress() : "::ffff:" + address.getHostAddress();
        }
        String[] groups = new String[8];
        for (int i = 0; i < 8; i++) {
            int group = (bytes[2 * i] & 0xff) << 8 | bytes[2 * i + 1] & 0xff;
            groups[i] = random.nextBoolean()
                    ? Integer.toHexString(group)
                    : Integer.toHexString(0x10000 | group).substring(1);
        }
        int hexGroups = random.nextInt(3) == 0 ? 6 : 8;
        int[] zeros = randomZeros(bytes, hexGroups, random);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < hexGroups; i++) {
            if (zeros != null && i == zeros[0]) {
                text.append("::");
                i = zeros[1] - 1;
            } else {
                text.append(text.isEmpty() || text.toString().endsWith("::") ? "" : ":")
                        .append(groups[i]);
            }
        }
        if (hexGroups == 6) {
            text.append(text.toString().endsWith("::") ? "" : ":").append(tail(bytes));
        }
        String zone = random.nextInt(4) == 0 ? "%eth" + random.nextInt(10) : "";
        return (random.nextBoolean() ? text.toString().toUpperCase(Locale.ROOT) : text) + zone;
    }

    private static String tail(byte[] bytes) {
        return (bytes[12] & 0xff) + "." + (bytes[13] & 0xff) + "." + (bytes[14] & 0xff) + "." + (bytes[15] & 0xff);
    }

    /** A run of zero groups to leave out, not necessarily the longest; {@code null} to leave out none. */
    private static int @Nullable [] randomZeros(byte[] bytes, int groups, Random random) {
        int start = random.nextInt(groups);
        int end = start;
        while (end < groups && bytes[2 * end] == 0 && bytes[2 * end + 1] == 0) {
            end++;
        }
        return end == start ? null : new int[] {start, end};
    }
}
