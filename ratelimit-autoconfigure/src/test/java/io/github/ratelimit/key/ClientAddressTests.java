package io.github.ratelimit.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import jakarta.servlet.FilterChain;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.filter.ForwardedHeaderFilter;

class ClientAddressTests {

    private static final String XFF = "X-Forwarded-For";

    @ParameterizedTest(name = "{0} from {1} is {2}")
    @CsvSource(
            nullValues = "-",
            delimiter = ';',
            value = {
                "-; 127.0.0.1; 127.0.0.1",
                "203.0.113.5; 127.0.0.1; 203.0.113.5",
                "6.6.6.6, 203.0.113.5; 127.0.0.1; 203.0.113.5",
                "6.6.6.6,203.0.113.5 ,\t10.1.1.1; 127.0.0.1; 203.0.113.5",
                "6.6.6.6, 203.0.113.5; 198.51.100.1; 198.51.100.1",
                "203.0.113.5; ::ffff:127.0.0.1; 203.0.113.5",
                "203.0.113.5; 0:0:0:0:0:ffff:7f00:1; 203.0.113.5",
                "203.0.113.5; [::1]; 203.0.113.5",
                "::ffff:203.0.113.5; 127.0.0.1; 203.0.113.5",
                "203.0.113.5:4711; 127.0.0.1; 203.0.113.5",
                "203.0.113.5:_x; 127.0.0.1; 203.0.113.5",
                "\"203.0.113.5\"; 127.0.0.1; 203.0.113.5",
                "[2001:db8::1]:443; 127.0.0.1; 2001:db8::",
                "[2001:db8::1]; 127.0.0.1; 2001:db8::",
                "2001:DB8::1; 127.0.0.1; 2001:db8::",
                "fe80::1%eth0; 127.0.0.1; fe80::",
                "[fe80::1%25eth0]:80; 127.0.0.1; fe80::",
                // all trusted: the leftmost
                "10.0.0.3, 10.0.0.2; 10.0.0.1; 10.0.0.3",
                // an entry that is no address stops at the last good hop
                "203.0.113.5, unknown; 127.0.0.1; 127.0.0.1",
                "203.0.113.5, unknown, 10.0.0.2; 127.0.0.1; 10.0.0.2",
                "203.0.113.5, _hidden, 10.0.0.2; 127.0.0.1; 10.0.0.2",
                "203.0.113.5, , 10.0.0.2; 127.0.0.1; 10.0.0.2",
                "203.0.113.5,; 127.0.0.1; 127.0.0.1",
                "203.0.113.5, 10.0.0.02; 127.0.0.1; 127.0.0.1",
                "203.0.113.5, localhost; 127.0.0.1; 127.0.0.1",
                "203.0.113.5 198.51.100.1; 127.0.0.1; 127.0.0.1",
                "203.0.113.5:; 127.0.0.1; 127.0.0.1",
                "203.0.113.5:123456; 127.0.0.1; 127.0.0.1",
                "203.0.113.5:8a; 127.0.0.1; 127.0.0.1",
                "203.0.113.5:_; 127.0.0.1; 127.0.0.1",
                "[203.0.113.5; 127.0.0.1; 127.0.0.1",
                "[2001:db8::1]x; 127.0.0.1; 127.0.0.1",
                "[2001:db8::1]443; 127.0.0.1; 127.0.0.1",
                "[]; 127.0.0.1; 127.0.0.1",
                "\"; 127.0.0.1; 127.0.0.1",
                "\"203.0.113.5; 127.0.0.1; 127.0.0.1",
                // quotes mean nothing across commas here
                "\"6.6.6.6, 203.0.113.5; 127.0.0.1; 203.0.113.5",
                "''; 127.0.0.1; 127.0.0.1",
                "','; 127.0.0.1; 127.0.0.1"
            })
    void ofWhenXForwardedForThenFirstUntrustedFromTheRight(@Nullable String header, String peer, String client) {
        MockHttpServletRequest request = request(peer);
        if (header != null) {
            request.addHeader(XFF, header);
        }
        assertThat(clients(XFF).of(request)).hasToString(client);
    }

    @ParameterizedTest(name = "{0} is {1}")
    @CsvSource(
            delimiter = '~',
            value = {
                "for=203.0.113.5 ~ 203.0.113.5",
                "For=203.0.113.5 ~ 203.0.113.5",
                "for=\"203.0.113.5:4711\" ~ 203.0.113.5",
                "for=203.0.113.5:4711 ~ 203.0.113.5",
                "for=\"[2001:db8:cafe::17]\" ~ 2001:db8:cafe::",
                "for=\"[2001:db8:cafe::17]:4711\";proto=https ~ 2001:db8:cafe::",
                "FOR=\"[2001:db8:cafe::17]:_port.1-x\" ~ 2001:db8:cafe::",
                "for=\"\\[2001:db8\\:cafe::17]\" ~ 2001:db8:cafe::",
                "proto=https;by=10.0.0.9;for=203.0.113.5 ~ 203.0.113.5",
                "proto=https ; for=203.0.113.5 ; by=_x ~ 203.0.113.5",
                "host=\"a,b;for=6.6.6.6\";for=203.0.113.5 ~ 203.0.113.5",
                "host=\"a\\\",for=6.6.6.6\";for=203.0.113.5 ~ 203.0.113.5",
                "host=\"a\\\\\",for=203.0.113.5 ~ 203.0.113.5",
                "for=203.0.113.5;host=\"a,\\\"b\" ~ 203.0.113.5",
                "for=6.6.6.6, for=203.0.113.5 ~ 203.0.113.5",
                "for=6.6.6.6, for=203.0.113.5, for=10.0.0.2;by=10.0.0.1 ~ 203.0.113.5",
                // an open quote of the client cannot swallow what the proxy wrote
                "for=\"6.6.6.6, for=203.0.113.5 ~ 203.0.113.5",
                "for=\"6.6.6.6, for=\"[2001:db8:cafe::17]\" ~ 2001:db8:cafe::",
                "for=\"6.6.6.6\\, for=\"203.0.113.5\" ~ 203.0.113.5",
                "for=203.0.113.5, for=10.0.0.2, for=10.0.0.3 ~ 203.0.113.5",
                "for=203.0.113.5, for=unknown, for=10.0.0.3 ~ 10.0.0.3",
                "for=203.0.113.5, for=_gazonk, for=10.0.0.3 ~ 10.0.0.3",
                "for=203.0.113.5, for=\"_gazonk:80\" ~ 127.0.0.1",
                "for=203.0.113.5, proto=https ~ 127.0.0.1",
                "for=203.0.113.5, ~ 127.0.0.1",
                "for=6.6.6.6;for=203.0.113.5 ~ 127.0.0.1",
                "for=\"203.0.113.5 ~ 127.0.0.1",
                "for= ~ 127.0.0.1",
                "for ~ 127.0.0.1",
                "xfor=203.0.113.5 ~ 127.0.0.1",
                "203.0.113.5 ~ 127.0.0.1",
                "\" ~ 127.0.0.1",
                "for=\"\\ ~ 127.0.0.1"
            })
    void ofWhenForwardedThenForOfTheFirstUntrustedElement(String header, String client) {
        MockHttpServletRequest request = request("127.0.0.1");
        request.addHeader("Forwarded", header);
        assertThat(clients("forwarded").of(request)).hasToString(client);
    }

    @ParameterizedTest(name = "{0} is {1}")
    @CsvSource(
            delimiter = ';',
            value = {
                "203.0.113.5; 203.0.113.5",
                "' 203.0.113.5 '; 203.0.113.5",
                "203.0.113.5:80; 203.0.113.5",
                "[2001:db8::1]:80; 2001:db8::",
                "10.0.0.7; 10.0.0.7",
                "6.6.6.6, 203.0.113.5; 127.0.0.1",
                "unknown; 127.0.0.1",
                "for=203.0.113.5; 127.0.0.1"
            })
    void ofWhenOtherHeaderThenItsSingleAddress(String header, String client) {
        MockHttpServletRequest request = request("127.0.0.1");
        request.addHeader("X-Real-IP", header);
        request.addHeader(XFF, "6.6.6.6");
        assertThat(clients("X-Real-IP").of(request)).hasToString(client);
    }

    @Test
    void ofWhenSingleAddressHeaderHasSeveralLinesThenTheLastCounts() {
        MockHttpServletRequest request = request("127.0.0.1");
        request.addHeader("X-Real-IP", "6.6.6.6");
        request.addHeader("X-Real-IP", "203.0.113.5");
        assertThat(clients("X-Real-IP").of(request)).hasToString("203.0.113.5");
    }

    @Test
    void ofWhenSeveralLinesThenJoinedInOrder() {
        MockHttpServletRequest request = request("127.0.0.1");
        request.addHeader(XFF, "6.6.6.6, 203.0.113.5");
        request.addHeader(XFF, "10.0.0.3");
        request.addHeader(XFF, "10.0.0.2, 10.0.0.1");
        assertThat(clients(XFF).of(request)).hasToString("203.0.113.5");
        request.addHeader(XFF, "");
        assertThat(clients(XFF).of(request)).hasToString("127.0.0.1");
    }

    @Test
    void ofWhenClientSendsAnEmptyLineThenTheNextCounts() {
        MockHttpServletRequest request = request("127.0.0.1");
        request.addHeader(XFF, "");
        request.addHeader(XFF, "203.0.113.5");
        assertThat(clients(XFF).of(request)).hasToString("203.0.113.5");
    }

    @ParameterizedTest
    @ValueSource(strings = {XFF, "Forwarded", "X-Real-IP"})
    void ofWhenEightKilobytesOfCommasThenPeer(String header) {
        MockHttpServletRequest request = request("127.0.0.1");
        request.addHeader(header, ",".repeat(8192));
        assertThat(clients(header).of(request)).hasToString("127.0.0.1");
    }

    @Test
    void ofWhenHeaderIsLongThenOnlyItsEndIsRead() {
        MockHttpServletRequest request = request("127.0.0.1");
        String trusted = ",10.0.0.1".repeat(2000);
        request.addHeader(XFF, "203.0.113.5" + trusted);
        assertThat(clients(XFF).of(request)).hasToString("10.0.0.1");

        MockHttpServletRequest near = request("127.0.0.1");
        near.addHeader(XFF, "203.0.113.5" + ",10.0.0.1".repeat(900));
        assertThat(clients(XFF).of(near)).hasToString("203.0.113.5");
    }

    @Test
    void ofWhenTheLimitCutsAnEntryThenItIsNoHop() {
        // The last 8192 characters begin within 110.0.0.1, of which they hold 10.0.0.1
        String tail = ",10.0.0.2".repeat(909) + " ".repeat(3);
        String header = "110.0.0.1" + tail;
        assertThat(header.charAt(header.length() - 8192)).isEqualTo('1');
        assertThat(header.charAt(header.length() - 8193)).isEqualTo('1');
        MockHttpServletRequest request = request("127.0.0.1");
        request.addHeader(XFF, header);
        assertThat(clients(XFF).of(request)).hasToString("10.0.0.2");
    }

    @Test
    void ofWhenNobodyIsTrustedThenHeadersMeanNothing() {
        Random random = new Random(8);
        ClientAddress clients = new ClientAddress(List.of(), XFF, 32, 64);
        for (int i = 0; i < 5; i++) {
            MockHttpServletRequest request = request("198.51.100.1");
            request.addHeader(XFF, random.nextInt(256) + ".6.6.6");
            assertThat(clients.of(request)).hasToString("198.51.100.1");
            assertThat(clients.peerTrusted(request)).isFalse();
        }
    }

    @Test
    void ofWhenClientInventsEntriesThenSameClient() {
        Random random = new Random(8);
        ClientAddress oneProxy = new ClientAddress(blocks("127.0.0.1/32"), XFF, 32, 64);
        ClientAddress twoProxies = new ClientAddress(blocks("127.0.0.1/32", "10.0.0.0/8"), XFF, 32, 64);
        for (int i = 0; i < 5; i++) {
            String invented = random.nextInt(256) + ".6.6.6, ";
            assertThat(oneProxy.of(forwarded(invented + "203.0.113.5"))).hasToString("203.0.113.5");
            assertThat(twoProxies.of(forwarded(invented + "203.0.113.5, 10.1.1.1")))
                    .hasToString("203.0.113.5");
        }
        assertThat(twoProxies.of(forwarded("203.0.113.6, 10.1.1.1"))).hasToString("203.0.113.6");
    }

    @Test
    void ofWhenForwardedHeaderFilterWrappedTheRequestThenLookedThrough() throws Exception {
        MockHttpServletRequest request = forwarded("6.6.6.6, 203.0.113.5");
        AtomicReference<HttpServletRequest> wrapped = new AtomicReference<>();
        FilterChain chain = (inner, response) -> wrapped.set((HttpServletRequest) inner);
        new ForwardedHeaderFilter().doFilter(request, new MockHttpServletResponse(), chain);

        HttpServletRequest once = Objects.requireNonNull(wrapped.get());
        assertThat(once.getRemoteAddr()).isEqualTo("6.6.6.6");
        assertThat(once.getHeader(XFF)).isNull();
        HttpServletRequest twice = new HttpServletRequestWrapper(once);
        assertThat(clients(XFF).of(twice)).hasToString("203.0.113.5");
        assertThat(clients(XFF).peerTrusted(twice)).isTrue();
    }

    @Test
    void ofWhenSpellingsOfOneIpv6NetworkThenOneClient() {
        assertThat(Stream.of("2001:db8:1:2::1", "2001:DB8:1:2:0:0:0:1", "2001:db8:1:2:ffff::9", "2001:db8:1:2::4")
                        .map(address -> clients(XFF).of(forwarded(address))))
                .containsOnly(IpAddress.parse("2001:db8:1:2::"));
        assertThat(clients(XFF).of(forwarded("2001:db8:1:3::1"))).hasToString("2001:db8:1:3::");
        assertThat(clients(XFF).of(forwarded("192.0.2.1")))
                .isNotEqualTo(clients(XFF).of(forwarded("192.0.2.2")));
    }

    @Test
    void ofWhenPrefixLengthsGivenThenCutToThem() {
        ClientAddress clients = new ClientAddress(blocks("127.0.0.1"), XFF, 24, 48);
        assertThat(clients.of(forwarded("203.0.113.5"))).hasToString("203.0.113.0");
        assertThat(clients.of(forwarded("2001:db8:1:2::3"))).hasToString("2001:db8:1::");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/run/app.sock", "unix:", "localhost"})
    void ofWhenPeerHasNoAddressThenNull(String peer) {
        MockHttpServletRequest request = request(peer);
        request.addHeader(XFF, "203.0.113.5");
        assertThat(clients(XFF).of(request)).isNull();
        assertThat(clients(XFF).peerTrusted(request)).isFalse();
    }

    @Test
    @SuppressWarnings("NullAway") // containers give null for peers without an address
    void ofWhenPeerIsNullThenNull() {
        MockHttpServletRequest request = new MockHttpServletRequest();
        request.setRemoteAddr(null);
        assertThat(clients(XFF).of(request)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "203.0.113.7, 203.0.113.7",
        "' 203.0.113.7 ', 203.0.113.7",
        "203.0.113.7/32, 203.0.113.7",
        "::ffff:203.0.113.7, 203.0.113.7",
        "2001:DB8:1:2::9, 2001:db8:1:2::",
        "[2001:db8:1:2::9], 2001:db8:1:2::",
        "2001:db8:1:2::, 2001:db8:1:2::",
        "2001:db8:1:2::/64, 2001:db8:1:2::",
        "2001:db8:1:2::9/128, 2001:db8:1:2::"
    })
    void ofRawWhenAddressThenKeyOfItsPrefix(String raw, String key) {
        IpAddress address = Objects.requireNonNull(IpAddress.parse(key));
        assertThat(clients(XFF).ofRaw(raw)).isEqualTo(RateLimitKey.ofAddress(address));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "alice", "203.0.*.*", "10.0.0.0/8", "2001:db8::/32", "1.2.3.4/x", "/"})
    void ofRawWhenNoAddressThenThrows(String raw) {
        assertThatIllegalArgumentException().isThrownBy(() -> clients(XFF).ofRaw(raw));
    }

    @ParameterizedTest
    @CsvSource({"-1, 64", "33, 64", "32, -1", "32, 129"})
    void constructorWhenPrefixLengthOutOfRangeThenThrows(int ipv4, int ipv6) {
        assertThatIllegalArgumentException().isThrownBy(() -> new ClientAddress(List.of(), XFF, ipv4, ipv6));
    }

    private static ClientAddress clients(String header) {
        return new ClientAddress(blocks("127.0.0.0/8", "10.0.0.0/8", "::1"), header, 32, 64);
    }

    private static List<CidrBlock> blocks(String... blocks) {
        return Arrays.stream(blocks).map(CidrBlock::parse).toList();
    }

    private static MockHttpServletRequest forwarded(String header) {
        MockHttpServletRequest request = request("127.0.0.1");
        request.addHeader(XFF, header);
        return request;
    }

    private static MockHttpServletRequest request(String peer) {
        MockHttpServletRequest request = new MockHttpServletRequest();
        request.setRemoteAddr(peer);
        return request;
    }
}
