package io.github.ratelimit.observe;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SafeTextTests {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/api/login",
                "Mozilla/5.0 (X11; Linux)",
                "\u00e9t\u00e9 \u65e5\u672c",
                "\ud83d\ude00",
                "<script>"
            })
    void escapedWhenNothingIsHarmfulThenIsTheTextItself(String text) {
        assertThat(SafeText.escaped(text)).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(
            chars = {
                '\0', '\b', '\t', '\n', '\r', 0x1b, 0x7f, 0x85, 0x9b, 0xad, 0x200b, 0x200e, 0x2028, 0x2029, 0x202e,
                0x2066, 0x2069, 0xfeff, 0xe000, 0xfff9
            })
    void escapedWhenACharacterIsHarmfulThenIsSpelledOut(char harmful) {
        assertThat(SafeText.escaped("a" + harmful + "b"))
                .isEqualTo("a" + "\\u" + String.format("%04x", (int) harmful) + "b");
    }

    @Test
    void escapedWhenHalfOfACharacterIsMissingThenIsSpelledOut() {
        assertThat(SafeText.escaped("\ud83d!")).isEqualTo("\\ud83d!");
        assertThat(SafeText.escaped("!\ude00")).isEqualTo("!\\ude00");
    }

    @Test
    void escapedWhenATagCharacterIsHiddenThenBothHalvesAreSpelledOut() {
        assertThat(SafeText.escaped("a\udb40\udc41")).isEqualTo("a\\udb40\\udc41");
    }

    @Test
    void escapedWhenTheTextLooksEscapedThenReadsUnlikeWhatIs() {
        assertThat(SafeText.escaped("\\u000a")).isEqualTo("\\\\u000a").isNotEqualTo(SafeText.escaped("\n"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\'', textBlock = """
            a b       | "a b"
            say "hi"  | "say \\"hi\\""
            a\\b      | "a\\\\b"
            """)
    void quotedThenNoQuotationMarkEndsItEarly(String text, String quoted) {
        assertThat(SafeText.quoted(text)).isEqualTo(quoted);
    }

    @Test
    void quotedWhenThereIsNoTextThenADash() {
        assertThat(SafeText.quoted(null)).isEqualTo("-");
    }

    @Test
    void cutWhenTooLongThenEndsInAnEllipsisAndNotInHalfACharacter() {
        assertThat(SafeText.cut("abcdef", 6)).isEqualTo("abcdef");
        assertThat(SafeText.cut("abcdefg", 6)).isEqualTo("abcdef\u2026");
        assertThat(SafeText.cut("abcde\ud83d\ude00", 6)).isEqualTo("abcde\u2026");
        assertThat(SafeText.cut(null, 6)).isNull();
    }
}
