package io.github.ratelimit.key;

import java.util.List;
import java.util.Locale;
import java.util.Random;

/** Addresses in all spellings, texts that are nearly one, and rubbish. */
final class AddressStrings {

    private static final List<String> ODD = List.of(
            "",
            ".",
            ":",
            "::",
            "%",
            "%eth0",
            " ",
            "0",
            "00",
            "0x1",
            "1e1",
            "-1",
            "+1",
            "256",
            "255",
            "/24",
            "[",
            "]",
            "\u0661",
            "\uff11",
            "g",
            "ffff",
            "fffff",
            "::ffff:",
            "1.2.3.4",
            "localhost",
            "unknown",
            "_hidden",
            "\t",
            "\u0000",
            "*");

    private final Random random;

    AddressStrings(long seed) {
        this.random = new Random(seed);
    }

    /** Some text that may be an address. */
    String next() {
        String text = random.nextBoolean() ? ipv4() : ipv6();
        for (int faults = random.nextInt(4) - 1; faults > 0; faults--) {
            text = broken(text);
        }
        return text;
    }

    /** An address, as a proxy may write it. */
    String nextNode() {
        String address = random.nextInt(4) == 0 ? next() : random.nextBoolean() ? ipv4() : ipv6();
        String port =
                random.nextInt(3) == 0 ? ":" + odd(List.of("80", "1", "65535", "_x", "_", "", "123456", "x")) : "";
        boolean brackets = !port.isEmpty() ? address.indexOf(':') >= 0 : random.nextInt(6) == 0;
        String node = brackets ? "[" + address + "]" + port : address + port;
        return switch (random.nextInt(12)) {
            case 0 -> "\"" + node + "\"";
            case 1 -> odd(ODD);
            default -> node;
        };
    }

    String odd(List<String> values) {
        return values.get(random.nextInt(values.size()));
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    private String ipv4() {
        // few of them, so that they meet
        return (random.nextInt(4) == 0 ? "10." : "203.") + random.nextInt(256) + "." + random.nextInt(300) + "."
                + random.nextInt(256);
    }

    private String ipv6() {
        StringBuilder text = new StringBuilder();
        int groups = 1 + random.nextInt(9);
        int gap = random.nextInt(3) == 0 ? -1 : random.nextInt(groups);
        for (int i = 0; i < (gap < 0 ? 8 : groups); i++) {
            if (i == gap) {
                text.append("::");
            } else if (i > 0 && text.charAt(text.length() - 1) != ':') {
                text.append(':');
            }
            text.append(group());
        }
        if (random.nextInt(4) == 0) {
            text.append(':').append(ipv4());
        }
        if (random.nextInt(8) == 0) {
            return "::ffff:" + ipv4();
        }
        return random.nextInt(8) == 0 ? text + "%eth" + random.nextInt(3) : text.toString();
    }

    private String group() {
        String digits = Integer.toHexString(random.nextInt(1 << 4 * (1 + random.nextInt(4))));
        String padded = random.nextInt(4) == 0 ? "000".substring(random.nextInt(4)) + digits : digits;
        return random.nextBoolean() ? padded : padded.toUpperCase(Locale.ROOT);
    }

    private String broken(String text) {
        int at = random.nextInt(text.length() + 1);
        return switch (random.nextInt(3)) {
            case 0 -> text.substring(0, at) + odd(ODD) + text.substring(at);
            case 1 -> text.substring(0, at) + (at < text.length() ? text.substring(at + 1) : "");
            default -> text.substring(0, at) + odd(ODD) + (at < text.length() ? text.substring(at + 1) : "");
        };
    }
}
