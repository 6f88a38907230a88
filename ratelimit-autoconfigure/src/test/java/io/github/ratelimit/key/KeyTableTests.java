package io.github.ratelimit.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.ratelimit.key.KeyPlan.MissingKey;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyTableTests {

    private final ClientAddress clients = new ClientAddress(List.of(), "X-Forwarded-For", 32, 64);
    private final KeyTable<String> table = new KeyTable<>();

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            10.1.2.3                | single
            10.1.2.4                | /24
            10.1.3.4                | /8
            11.0.0.1                | v4
            ::ffff:10.1.2.3         | single
            ::ffff:10.1.2.77        | /24
            2001:db8:1:2::77        | subnet
            2001:db8:1:3::77        | site
            2001:db9::1             | -
            """)
    void findWhenBlocksNestThenTheMostSpecificWins(String client, @Nullable String said) {
        put(clientIp(), "0.0.0.0/0", "v4");
        put(clientIp(), "10.1.2.0/24", "/24");
        put(clientIp(), "10.0.0.0/8", "/8");
        put(clientIp(), "10.1.2.3", "single");
        put(clientIp(), "2001:db8::/32", "site");
        put(clientIp(), "2001:db8:1:2::/64", "subnet");

        assertThat(table.find(clients.ofRaw(client))).isEqualTo(said);
    }

    @Test
    void findWhenABlockHoldsAllIpv6ThenNoIpv4() {
        put(clientIp(), "::/0", "v6");

        assertThat(table.find(clients.ofRaw("203.0.113.7"))).isNull();
        assertThat(table.find(clients.ofRaw("2001:db8::1"))).isEqualTo("v6");
    }

    @Test
    void findWhenManyBlocksThenAgreesWithASearchOfAll() {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            KeyTable<String> one = new KeyTable<>();
            Map<CidrBlock, String> blocks = new LinkedHashMap<>();
            for (int i = 0; i < 40; i++) {
                boolean ipv4 = random.nextBoolean();
                IpAddress address = address(random, ipv4);
                CidrBlock block = new CidrBlock(address, ipv4 ? 96 + random.nextInt(32) : random.nextInt(64));
                if (block.isIpv4() == ipv4) {
                    blocks.put(block, "block " + i);
                    one.put(new KeyPattern(null, block), "block " + i);
                }
            }
            for (int i = 0; i < 100; i++) {
                IpAddress client = address(random, random.nextBoolean());
                String expected = blocks.entrySet().stream()
                        .filter(entry -> entry.getKey().contains(client))
                        .max((a, b) -> Integer.compare(
                                a.getKey().prefixLength(), b.getKey().prefixLength()))
                        .map(Map.Entry::getValue)
                        .orElse(null);
                assertThat(one.find(RateLimitKey.ofAddress(client)))
                        .as("seed %d, client %s", seed, client)
                        .isEqualTo(expected);
            }
        }
    }

    @Test
    void putWhenThePatternIsKnownThenReturnsWhatWasSaidBefore() {
        assertThat(put(clientIp(), "10.0.0.0/8", "a")).isNull();
        assertThat(put(clientIp(), "10.9.0.0/8", "b")).isEqualTo("a");
        assertThat(put(clientIp(), "10.0.0.1", "c")).isNull();
        assertThat(put(clientIp(), "::ffff:10.0.0.1", "d")).isEqualTo("c");
    }

    @Test
    void findWhenAValueLooksLikeAnAddressThenItIsNotOne() {
        KeyPlan header = plan("header:X-Api-Key", MissingKey.CLIENT_IP);
        put(header, "10.0.0.0/8", "value");
        put(header, "client-ip=192.0.2.0/24", "stand-in");
        put(header, "\\client-ip=x", "odd value");

        assertThat(table.find(header.ofRaw("10.0.0.0/8"))).isEqualTo("value");
        assertThat(table.find(RateLimitKey.ofAddress(address("10.1.2.3")))).isNull();
        assertThat(table.find(RateLimitKey.ofAddress(address("192.0.2.9")))).isEqualTo("stand-in");
        assertThat(table.find(header.ofRaw("client-ip=192.0.2.0/24"))).isNull();
        assertThat(table.find(header.ofRaw("client-ip=x"))).isEqualTo("odd value");
    }

    @Test
    void findWhenTheKeyIsLongOrSecretThenItsDigestIsFound() {
        KeyPlan header = plan("header:X-Api-Key", MissingKey.REJECT);
        KeyPlan principal = plan("principal", MissingKey.REJECT);
        put(header, "s3cret", "secret");
        put(principal, "x".repeat(100), "long");

        assertThat(table.find(RateLimitKey.ofSecret("s3cret"))).isEqualTo("secret");
        assertThat(table.find(RateLimitKey.ofText("x".repeat(100)))).isEqualTo("long");
        assertThat(table.find(RateLimitKey.ofText("s3cret"))).isNull();
    }

    @Test
    void findWhenTheKeyIsCompositeThenItsPartsAreJoined() {
        KeyPlan composite = new KeyPlan(List.of(part("client-ip"), part("method")), MissingKey.REJECT, clients);
        put(composite, "203.0.113.7|POST", "both");

        assertThat(table.find(composite.ofRaw("203.0.113.7|POST"))).isEqualTo("both");
        assertThat(table.find(composite.ofRaw("203.0.113.7|GET"))).isNull();
    }

    @Test
    void findWhenAnExpressionGivesTextsToAZoneOfAddressesThenTheyAreNamedAsTexts() {
        put(clientIp(), "text=acme", "tenant");
        put(clientIp(), "text=10.0.0.1", "odd tenant");

        assertThat(table.find(RateLimitKey.ofText("acme"))).isEqualTo("tenant");
        assertThat(table.find(RateLimitKey.ofText("10.0.0.1"))).isEqualTo("odd tenant");
        assertThat(table.find(clients.ofRaw("10.0.0.1"))).isNull();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            2001:db8::1       | is narrower than the IPv6 prefix by which clients are told apart; write 2001:db8::/64, or raise ratelimit.client-ip.ipv6-prefix-length
            2001:db8::/80     | is narrower than the IPv6 prefix by which clients are told apart; write 2001:db8::/64, or raise ratelimit.client-ip.ipv6-prefix-length
            alice             | is not a CIDR block; write an address and a prefix length
            10.0.0.0/33       | is not a CIDR block; write an address and a prefix length
            """)
    void ofWhenNoClientIsMeantThenSaysWhatToWrite(String text, String fault) {
        assertThatThrownBy(() -> KeyPattern.of(clientIp(), text)).hasMessageStartingWith(fault);
    }

    @Test
    void ofWhenIpv4ClientsAreToldApartBy24BitsThenOneAddressIsTooNarrow() {
        ClientAddress coarse = new ClientAddress(List.of(), "X-Forwarded-For", 24, 64);
        KeyPlan plan =
                new KeyPlan(List.of(KeyParts.of("client-ip", coarse, bean -> null)), MissingKey.CLIENT_IP, coarse);

        assertThatThrownBy(() -> KeyPattern.of(plan, "203.0.113.7")).hasMessageContaining("write 203.0.113.0/24");
        assertThat(KeyPattern.of(plan, "203.0.113.0/24").key()).isEqualTo(coarse.ofRaw("203.0.113.99"));
    }

    private @Nullable String put(KeyPlan plan, String text, String said) {
        return table.put(KeyPattern.of(plan, text), said);
    }

    private KeyPlan clientIp() {
        return plan("client-ip", MissingKey.CLIENT_IP);
    }

    private KeyPlan plan(String resolver, MissingKey missing) {
        return new KeyPlan(List.of(part(resolver)), missing, clients);
    }

    private KeyPart part(String resolver) {
        return KeyParts.of(resolver, clients, bean -> null);
    }

    private static IpAddress address(String text) {
        return Objects.requireNonNull(IpAddress.parse(text));
    }

    /** Few high bits differ, so that blocks and clients meet. */
    private static IpAddress address(Random random, boolean ipv4) {
        long bits = 0;
        for (int i = 0; i < 8; i++) {
            bits |= 1L << random.nextInt(Long.SIZE);
        }
        return ipv4 ? IpAddress.ofIpv4(bits & 0xffff_ffffL) : IpAddress.of(0x2001_0db8_0000_0000L | bits >>> 32, 0);
    }
}
