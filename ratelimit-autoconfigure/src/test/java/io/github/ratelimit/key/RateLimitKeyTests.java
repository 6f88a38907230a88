package io.github.ratelimit.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RateLimitKeyTests {

    @ParameterizedTest
    @CsvSource({
        // 64 bytes in UTF-8 are kept, one more is not
        "a, 64, TEXT",
        "a, 65, DIGEST",
        "\u00e9, 32, TEXT",
        "\u00e9, 33, DIGEST",
        "\u20ac, 21, TEXT",
        "\u20ac, 22, DIGEST",
        "\ud83d\ude00, 16, TEXT",
        "\ud83d\ude00, 17, DIGEST",
        "a, 1000000, DIGEST"
    })
    void ofTextWhenLongerThan64BytesThenDigest(String unit, int count, RateLimitKey.Kind kind) {
        String text = unit.repeat(count);
        RateLimitKey key = RateLimitKey.ofText(text);
        assertThat(key.kind()).isEqualTo(kind);
        assertThat(key.toString()).isEqualTo(kind == RateLimitKey.Kind.TEXT ? text : key.toString());
        assertThat(key).isEqualTo(RateLimitKey.ofText(text)).hasSameHashCodeAs(RateLimitKey.ofText(text));
        assertThat(key).isNotEqualTo(RateLimitKey.ofText(text + "b"));
    }

    @Test
    void ofSecretWhenShownThenSha256CutTo128Bits() {
        assertThat(RateLimitKey.ofSecret("abc")).hasToString("ba7816bf8f01cfea414140de5dae2223");
        assertThat(RateLimitKey.ofSecret("abc").kind()).isEqualTo(RateLimitKey.Kind.DIGEST);
    }

    @Test
    void equalsWhenKindsDifferThenFalse() {
        IpAddress address = Objects.requireNonNull(IpAddress.parse("203.0.113.7"));
        IpAddress zero = IpAddress.of(0, 0);
        RateLimitKey digest = RateLimitKey.ofSecret("abc");
        assertThat(Set.of(
                        RateLimitKey.ofAddress(address),
                        RateLimitKey.ofText("203.0.113.7"),
                        RateLimitKey.ofSecret("203.0.113.7"),
                        RateLimitKey.ofText(digest.toString()),
                        digest,
                        RateLimitKey.ofAddress(zero),
                        RateLimitKey.ofText("")))
                .hasSize(7);
    }

    @Test
    void hashCodeWhenAddressesAreChosenToCancelOutThenSpread() {
        Set<Integer> hashes = new HashSet<>();
        for (long i = 0; i < 1000; i++) {
            long high = 0x2001_0db8_0000_0000L | i;
            // A hash that mixes the halves before it is seeded would make all of these collide.
            hashes.add(RateLimitKey.ofAddress(IpAddress.of(high, Long.rotateRight(high, 29)))
                    .hashCode());
        }
        assertThat(hashes).hasSizeGreaterThan(990);
    }

    @Test
    void hashCodeWhenTextsDifferInLeadingNulsThenSpread() {
        Set<Integer> hashes = new HashSet<>();
        for (int i = 0; i < 60; i++) {
            hashes.add(RateLimitKey.ofText("\0".repeat(i)).hashCode());
        }
        assertThat(hashes).hasSizeGreaterThan(55);
    }
}
