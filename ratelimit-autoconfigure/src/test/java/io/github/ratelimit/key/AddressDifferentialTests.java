package io.github.ratelimit.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;

/** Addresses and headers are read as two other libraries, and a plain reading of the specification, read them. */
class AddressDifferentialTests {

    private static final int TEXTS = 100_000;
    private static final List<String> TRUSTED = List.of("127.0.0.0/8", "10.0.0.0/8");

    @Test
    void parseWhenAnyTextThenReadsWhatTwoLibrariesRead() {
        AddressStrings texts = new AddressStrings(20_261_130);
        List<String> different = new ArrayList<>();
        int addresses = 0;
        for (int i = 0; i < TEXTS; i++) {
            String text = texts.next();
            IpAddress ours = IpAddress.parse(text);
            addresses += ours == null ? 0 : 1;
            if (!Objects.equals(ours, AddressOracles.guava(text))
                    || !Objects.equals(ours, AddressOracles.ipAddress(text))) {
                different.add("'" + text + "' is " + ours + ", for Guava " + AddressOracles.guava(text)
                        + ", for IPAddress " + AddressOracles.ipAddress(text));
            }
        }
        assertThat(different).isEmpty();
        assertThat(addresses).isBetween(TEXTS / 5, TEXTS * 4 / 5);
    }

    @Test
    void ofWhenAnyHeaderThenTheClientThatAPlainReadingFinds() {
        AddressStrings texts = new AddressStrings(7_239);
        ClientAddress clients =
                new ClientAddress(TRUSTED.stream().map(CidrBlock::parse).toList(), "X-Forwarded-For", 32, 64);
        List<String> different = new ArrayList<>();
        for (int i = 0; i < TEXTS; i++) {
            List<String> lines =
                    Stream.generate(() -> line(texts)).limit(1 + texts.below(3)).toList();
            MockHttpServletRequest request = new MockHttpServletRequest();
            request.setRemoteAddr("127.0.0.1");
            lines.forEach(line -> request.addHeader("X-Forwarded-For", line));
            if (!Objects.equals(clients.of(request), plainReading(lines))) {
                different.add(lines + " is " + clients.of(request) + ", should be " + plainReading(lines));
            }
        }
        assertThat(different).isEmpty();
    }

    private static String line(AddressStrings texts) {
        StringBuilder line = new StringBuilder();
        for (int hops = texts.below(5); hops >= 0; hops--) {
            String hop = texts.below(3) == 0 ? "10.0.0." + texts.below(256) : texts.nextNode();
            line.append(texts.odd(List.of("", " ", "\t"))).append(hop).append(hops > 0 ? "," : "");
        }
        return line.toString();
    }

    /** All lines joined, from right to left, trusted hops skipped, up to the first that is no address. */
    private static @Nullable IpAddress plainReading(List<String> lines) {
        List<String> hops =
                new ArrayList<>(Arrays.asList(String.join(",", lines).split(",", -1)));
        Collections.reverse(hops);
        IpAddress client = AddressOracles.guava("127.0.0.1");
        for (String hop : hops) {
            IpAddress address = node(stripped(hop));
            if (address == null) {
                break;
            }
            client = address;
            if (!address.toString().startsWith("10.") && !address.toString().startsWith("127.")) {
                break;
            }
        }
        return client == null ? null : client.masked(32, 64);
    }

    private static String stripped(String hop) {
        return hop.replaceAll("^[ \t]+|[ \t]+$", "");
    }

    private static @Nullable IpAddress node(String hop) {
        String text = hop.matches("\".*\"") && hop.length() > 1 ? hop.substring(1, hop.length() - 1) : hop;
        String port = ":(\\d{1,5}|_[A-Za-z0-9._-]+)";
        if (text.matches("(?s)\\[[^\\]]*\\](" + port + ")?")) {
            return AddressOracles.guava(text.substring(1, text.indexOf(']')));
        }
        if (text.matches("(?s)[^:]*" + port)) {
            return AddressOracles.guava(text.substring(0, text.indexOf(':')));
        }
        return AddressOracles.guava(text);
    }
}
