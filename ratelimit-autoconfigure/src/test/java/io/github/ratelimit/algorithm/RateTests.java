package io.github.ratelimit.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RateTests {

    @ParameterizedTest
    @CsvSource(textBlock = """
            # text,         permits,       nanos, written permits, written nanos
            10/s,                 1,     100000000,         10,         1000000000
            30/m,                 1,    2000000000,         30,        60000000000
            1/d,                  1, 86400000000000,         1,     86400000000000
            1/h,                  1,  3600000000000,         1,      3600000000000
            0.5/s,                1,    2000000000,          1,         2000000000
            .5/s,                 1,    2000000000,          1,         2000000000
            1.5/s,                3,    2000000000,          3,         2000000000
            100/15m,              1,    9000000000,        100,       900000000000
            7/3s,                 7,    3000000000,          7,         3000000000
            2/300ms,              1,     150000000,          2,          300000000
            10/1.5s,              1,     150000000,         10,         1500000000
            10r/s,                1,     100000000,         10,         1000000000
            30r/m,                1,    2000000000,         30,        60000000000
            10R/S,                1,     100000000,         10,         1000000000
            5/minute,             1,   12000000000,          5,        60000000000
            2000000000/d,         1,         43200, 2000000000,     86400000000000
            1000000/s,            1,          1000,    1000000,         1000000000
            999983/s,        999983,    1000000000,     999983,         1000000000
            1/400d,               1, 34560000000000000,      1,  34560000000000000
            """)
    void parseWhenWrittenWellThenIsFractionInLowestTerms(
            String text, long permits, long nanos, long windowPermits, long windowNanos) {
        Rate rate = Rate.parse(text);
        assertThat(rate.permits()).isEqualTo(permits);
        assertThat(rate.periodNanos()).isEqualTo(nanos);
        assertThat(rate.windowPermits()).isEqualTo(windowPermits);
        assertThat(rate.windowNanos()).isEqualTo(windowNanos);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "/",
                "10",
                "10/",
                "/s",
                "r/s",
                "abc",
                "abc/s",
                "10/abc",
                "10s",
                "10//s",
                "10/s/s",
                "0/s",
                "0.0/s",
                "-1/s",
                "+1/s",
                "10/0s",
                "10/-5s",
                "10/s5",
                "1e3/s",
                "0x10/s",
                "1_000/s",
                "1,5/s",
                "1.2.3/s",
                "./s",
                "10/.s",
                "10rr/s",
                "10/r",
                "NaN/s",
                "3000000000/s",
                "1000001/s",
                "1001/ms",
                "10000000001/s",
                "18446744073709551617/s",
                "99999999999999999999/d",
                "0.000000000000000001/d",
                "1/401d",
                "1/10000000000d",
                "\u0661\u0660/s",
                "10/\u0665s",
                "\uff11\uff10/s",
                "10\u2044s",
                "10/\u017f",
                "10 000/s"
            })
    void parseWhenWrittenBadlyThenSaysWhatToWrite(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Rate.parse(text))
                .withMessageMatching("(is|has) .*")
                .satisfies(e -> assertThat(e.getMessage()).containsAnyOf("write", "fastest"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"9", "9/", "s", "0.", "/"})
    void parseWhenAbsurdlyLongThenRefusesAndDoesNotRepeatIt(String piece) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Rate.parse("1/s" + piece.repeat(100_000)))
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(200));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Rate.parse(piece.repeat(100_000) + "1/s"))
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(200));
    }

    @ParameterizedTest
    @CsvSource({"10/s,10/s", "' 10/s ',10/s", "10r/s,10/s", "0.5/S,0.5/s"})
    void toStringWhenParsedThenReadsAsWritten(String written, String shown) {
        assertThat(Rate.parse(written)).hasToString(shown);
    }

    @Test
    void parseWhenLocaleHasOtherLettersThenReadsTheSame() {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag("tr"));
            assertThat(Rate.parse("1/MIN").periodNanos()).isEqualTo(60_000_000_000L);
        } finally {
            Locale.setDefault(before);
        }
    }
}
