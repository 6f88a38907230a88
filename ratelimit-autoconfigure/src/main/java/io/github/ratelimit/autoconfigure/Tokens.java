package io.github.ratelimit.autoconfigure;

/** Tokens of HTTP, as RFC 9110 section 5.6.2 has them: names of methods and of headers. */
final class Tokens {

    private static final String MARKS = "!#$%&'*+-.^_`|~";

    private Tokens() {}

    static boolean isToken(String text) {
        return !text.isEmpty() && text.chars().allMatch(Tokens::isTokenCharacter);
    }

    private static boolean isTokenCharacter(int c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || MARKS.indexOf(c) >= 0;
    }
}
