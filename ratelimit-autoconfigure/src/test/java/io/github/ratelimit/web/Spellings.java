package io.github.ratelimit.web;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Request targets that an application might take for a path which they do not look like. */
final class Spellings {

    /** Put between two segments, or before the first, in the place of the slash. */
    private static final List<String> SLASHES = List.of(
            "//",
            "/./",
            "/%2e/",
            "/;/",
            "/;x=1/",
            "/.;x/",
            "/x/../",
            "/x/..;/",
            "/x/%2e%2e/",
            "/x/.%2E;a=b/",
            "/../",
            "%2F",
            "%2f",
            "%2F/",
            "/%2F",
            "%5C",
            "%5c",
            "\\",
            "/%5C",
            "%5C/",
            "/%20/",
            "/%09/",
            "/%7F/",
            "/%01/",
            "/%20",
            "/%C2%A0/",
            "/%00/",
            "%252F",
            "%C0%AF",
            "%E2%88%95",
            "/..%2F",
            "/x/..%2F",
            "/x%2F..%2F",
            "/x/..%5C",
            "/x%5C..%5C",
            "///",
            "/%3B/",
            "/%3Bx/",
            "/ ",
            "/%u002e/",
            "/.../",
            "/x//../",
            "/%2e%2e%3B/",
            ";/",
            ";x=%2F/",
            ";x=../",
            "/.%00/");

    /** Put behind the path. */
    private static final List<String> ENDS = List.of(
            "/",
            "//",
            ";",
            ";x=1",
            ";x=/y",
            "/;x",
            "/.",
            "/./",
            "/x/..",
            "/x/../",
            "/%2e",
            "%20",
            "%00",
            "%0a",
            "%0d%0a",
            "%09",
            "?",
            "?x=/../y",
            "?;",
            "#x",
            "%23",
            "%3F",
            "%3Bx",
            "%23x",
            "%3Fx",
            "%2523x",
            "%20/y",
            "%2F",
            "%5C",
            "\\",
            "+",
            "%2B",
            ".",
            "%2e",
            "..;/",
            "/..;/",
            ".json",
            ".",
            "%7F",
            "%C2%AD",
            "%E2%80%8B",
            "/%20",
            "/;/",
            ";%2e%2e/",
            "*");

    private static final Pattern ESCAPE = Pattern.compile("%([0-9a-fA-F]{2})");

    private Spellings() {}

    /** Every spelling that changes a path in one place. */
    static List<String> of(String path) {
        List<String> spellings = new ArrayList<>(List.of(
                path,
                "http://localhost" + path,
                "HTTP://other.example:80" + path,
                "http:" + path,
                "x:" + path,
                "http://localhost/x/.." + path,
                "http:///x@y" + path,
                "//localhost" + path,
                path.substring(1),
                " " + path,
                "?" + path,
                "*" + path,
                "*"));
        for (String slash : SLASHES) {
            forEachSlash(path, slash, spellings);
        }
        ENDS.forEach(end -> spellings.add(path + end));
        for (int i = 1; i < path.length(); i++) {
            int at = i;
            characters(path.charAt(i)).forEach(c -> spellings.add(path.substring(0, at) + c + path.substring(at + 1)));
        }
        Stream.of(
                        "%e2%80%ae",
                        ";",
                        ";a=b",
                        "%20",
                        "%00",
                        "%0d",
                        "%ff",
                        "%c3",
                        "%",
                        "%zz",
                        "%2",
                        "+",
                        "\t",
                        "\u00e9",
                        "%EF%BB%BF")
                .forEach(odd -> {
                    spellings.add("/" + odd + path.substring(1));
                    spellings.add(path.substring(0, path.length() / 2) + odd + path.substring(path.length() / 2));
                });
        spellings.add(path.toUpperCase(Locale.ROOT));
        spellings.add(
                path.chars().mapToObj(c -> c == '/' ? "/" : escape((char) c)).reduce("", String::concat));
        return spellings;
    }

    private static void forEachSlash(String path, String slash, List<String> spellings) {
        for (int i = path.indexOf('/'); i >= 0; i = path.indexOf('/', i + 1)) {
            spellings.add(path.substring(0, i) + slash + path.substring(i + 1));
        }
    }

    /** What might be taken for a character. */
    private static List<String> characters(char c) {
        if (c == '/') {
            return List.of();
        }
        String other = String.valueOf(Character.isUpperCase(c) ? Character.toLowerCase(c) : Character.toUpperCase(c));
        return List.of(
                escape(c),
                escape(c).toLowerCase(Locale.ROOT),
                escape(other.charAt(0)),
                other,
                "%25" + escape(c).substring(1),
                "%u00" + escape(c).substring(1),
                // overlong, full width, long s and the sign of Kelvin
                String.format("%%C%X%%%02X", c >> 6, c & 0x3f | 0x80),
                "%EF" + (c < 0x60 ? String.format("%%BC%%%02X", c + 0x60) : String.format("%%BD%%%02X", c + 0x20)),
                c == 's' ? "%C5%BF" : "%E2%84%AA");
    }

    /** A spelling whose escapes are the bytes that they stand for, each as one character. */
    static String unescaped(String spelling) {
        return ESCAPE.matcher(spelling)
                .replaceAll(escape ->
                        Matcher.quoteReplacement(String.valueOf((char) Integer.parseInt(escape.group(1), 16))));
    }

    private static String escape(char c) {
        return String.format("%%%02X", (int) c);
    }

    /** A spelling that changes a path in several places. */
    static String random(String path, Random random) {
        StringBuilder spelling = new StringBuilder();
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            if (c == '/') {
                spelling.append(random.nextInt(3) == 0 ? one(SLASHES, random) : "/");
            } else {
                List<String> characters = characters(c);
                spelling.append(random.nextInt(8) == 0 ? one(characters, random) : String.valueOf(c));
            }
        }
        return spelling.append(random.nextInt(3) == 0 ? one(ENDS, random) : "").toString();
    }

    private static String one(List<String> values, Random random) {
        return values.get(random.nextInt(values.size()));
    }
}
