package io.github.ratelimit.key;

/** Hexadecimal digits of ASCII alone: {@link Character#digit(char, int)} also takes those of other scripts. */
final class HexDigits {

    private HexDigits() {}

    /** The value of a digit, negative when it is none. */
    static int value(char c) {
        if (c >= '0' && c <= '9') {
            return c - '0';
        }
        int lower = c | 0x20;
        return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
    }
}
