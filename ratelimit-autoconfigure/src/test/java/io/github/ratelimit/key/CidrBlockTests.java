package io.github.ratelimit.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CidrBlockTests {

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, 10.0.0.0/8",
        "10.1.2.3/8, 10.0.0.0/8",
        "'  10.0.0.0/8 ', 10.0.0.0/8",
        "0.0.0.0/0, 0.0.0.0/0",
        "203.0.113.7, 203.0.113.7/32",
        "203.0.113.7/32, 203.0.113.7/32",
        "2001:DB8:0::1/32, 2001:db8::/32",
        "2001:db8::1, 2001:db8::1/128",
        "::/0, ::/0",
        "::ffff:10.0.0.0/104, 10.0.0.0/8",
        "::ffff:a00:0/104, 10.0.0.0/8",
        "::ffff:10.1.2.3, 10.1.2.3/32"
    })
    void parseWhenBlockThenCanonical(String text, String canonical) {
        assertThat(CidrBlock.parse(text)).hasToString(canonical);
        assertThat(CidrBlock.parse(canonical)).isEqualTo(CidrBlock.parse(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "/8",
                "10.0.0.0/",
                "10.0.0.0/33",
                "10.0.0.0/-1",
                "10.0.0.0/+8",
                "10.0.0.0/08",
                "10.0.0.0/8/8",
                "10.0.0.0/ 8",
                "10.0.0.0/255.0.0.0",
                "10.0.0/8",
                "10/8",
                "2001:db8::/129",
                "2001:db8::/1000",
                "[::1]",
                "fe80::1%eth0",
                "fe80::%eth0/64",
                "fe80::/64%eth0",
                "localhost",
                "10.0.0.0/\uff18",
                "*",
                "10.0.0.0/99999999999999999999"
            })
    void parseWhenNoBlockThenSaysWhatToWrite(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CidrBlock.parse(text))
                .withMessageStartingWith(
                        "is not a CIDR block; write an address and a prefix length, such as 10.0.0.0/8");
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, 10.255.255.255, true",
        "10.0.0.0/8, ::ffff:10.1.2.3, true",
        "10.0.0.0/8, 11.0.0.0, false",
        "10.0.0.0/8, 9.255.255.255, false",
        "10.0.0.0/8, ::10.0.0.1, false",
        "0.0.0.0/0, 255.1.2.3, true",
        "0.0.0.0/0, ::1, false",
        "::/0, 2001:db8::1, true",
        "::/0, 10.0.0.1, false",
        "203.0.113.7, 203.0.113.7, true",
        "203.0.113.7, 203.0.113.6, false",
        "2001:db8::/33, 2001:db8:7fff::, true",
        "2001:db8::/33, 2001:db8:8000::, false",
        "2001:db8::/65, 2001:db8::7fff:0:0:0, true",
        "2001:db8::/65, 2001:db8::8000:0:0:0, false",
        "2001:db8::1, 2001:db8::1, true",
        "2001:db8::1, 2001:db8::2, false"
    })
    void containsWhenAddressThenJudgedOnBits(String block, String address, boolean expected) {
        IpAddress parsed = Objects.requireNonNull(IpAddress.parse(address));
        assertThat(CidrBlock.parse(block).contains(parsed)).isEqualTo(expected);
    }

    @Test
    void containsWhenAnyPrefixLengthThenOnlyTheLastBitOfThePrefixParts() {
        Random random = new Random(11);
        for (int length = 1; length <= 128; length++) {
            IpAddress address = IpAddress.of(random.nextLong() | 1, random.nextLong());
            CidrBlock block = new CidrBlock(address, length);
            long high = length <= 64 ? 1L << 64 - length : 0;
            long low = length <= 64 ? 0 : 1L << 128 - length;
            assertThat(block.contains(address)).isTrue();
            assertThat(block.contains(IpAddress.of(address.high() ^ high, address.low() ^ low)))
                    .as("prefix length %s", length)
                    .isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 129})
    void constructorWhenPrefixLengthOutOfRangeThenThrows(int length) {
        assertThatIllegalArgumentException().isThrownBy(() -> new CidrBlock(IpAddress.of(0, 0), length));
    }
}
