package io.github.ratelimit.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FixedWindowTests {

    /** One key's life at 5/10s; times in milliseconds. */
    @ParameterizedTest
    @CsvSource(textBlock = """
            # at, cost, verdict remaining reset retry, after these draws (at x cost; + into debt, - given back)
                0,    0, ADMITTED     5     0     0, ''
                0,    1, ADMITTED     4 10000     0, ''
             3000,    1, ADMITTED     4 10000     0, ''
             7000,    3, ADMITTED     0  6000     0, 3000x2
             7000,    1, REFUSED      0  6000  6000, 3000x5
             7000,    3, REFUSED      2  6000  6000, 3000x3
             7000,    6, UNAFFORDABLE 5     0 never, ''
             7000,    6, UNAFFORDABLE 3  6000 never, 3000x2
            12999,    1, REFUSED      0     1     1, 3000x5
            13000,    5, ADMITTED     0 10000     0, 3000x5
            19000,    5, ADMITTED     0 10000     0, 3000x5
            22000,    5, ADMITTED     0 10000     0, 3000x5 12999x0
             7000,    1, ADMITTED     1  6000     0, 3000x5 4000x-2
             7000,    1, ADMITTED     4 10000     0, 3000x3 4000x-3
             7000,    1, ADMITTED     4 10000     0, 3000x3 4000x-9
            # 7 are owed: the next window pays 5 of them, the one after it the last 2
             7000,    1, REFUSED      0 26000 16000, 3000x5 3000x+7
             7000,    3, REFUSED      0 26000 16000, 3000x5 3000x+7
             7000,    4, REFUSED      0 26000 26000, 3000x5 3000x+7
            14000,    1, REFUSED      0 19000  9000, 3000x5 3000x+7
            23000,    3, ADMITTED     0 10000     0, 3000x5 3000x+7
            33000,    5, ADMITTED     0 10000     0, 3000x5 3000x+7
             7000,    1, REFUSED      0  6000  6000, 3000x5 3000x+7 4000x-7
             7000,    1, ADMITTED     0  6000     0, 3000x5 3000x+7 4000x-8
             7000,    1, REFUSED      0  6000  6000, 3000x1 3000x+4
             7000,    1, REFUSED      0 16000  6000, 3000x1 3000x+5
            # a clock that jumps back by two hours or a little
                0,    1, REFUSED      0 10000 10000, 7200000x5
                0,    1, ADMITTED     0 10000     0, 7200000x4
            7199999,    1, REFUSED      0 10000 10000, 7200000x5
                0,    1, REFUSED      0 30000 20000, 7200000x5 7200000x+7
            # and leaps by 400 days
            34560000000,    5, ADMITTED     0 10000     0, 3000x5
            34560000000,    5, ADMITTED     0 10000     0, 3000x5 3000x+7
            """)
    void acquireWhenDrawnBeforeThenSaysStep(long at, long cost, String said, String before) {
        Windows key = new Windows(FixedWindow.of(Rate.parse("5/10s"))).after(before);
        assertThat(Windows.said(key.acquire(cost, at))).isEqualTo(said.replaceAll(" +", " "));
    }

    @ParameterizedTest
    @CsvSource({
        "100/15m, 100, 900000",
        "30/m, 30, 60000",
        "10/s, 10, 1000",
        "0.5/s, 1, 2000",
        "1.5/s, 3, 2000",
        "2/300ms, 2, 300",
        "2000000000/d, 2000000000, 86400000",
        "1/400d, 1, 34560000000",
        "400/400d, 400, 34560000000"
    })
    void ofWhenRateIsWrittenThenTakesItsPermitsAndPeriod(String rate, long permits, long millis) {
        FixedWindow fixed = FixedWindow.of(Rate.parse(rate));
        assertThat(fixed.limit()).isEqualTo(permits);
        assertThat(fixed.periodNanos()).isEqualTo(millis * 1_000_000);
        SlidingWindow sliding = SlidingWindow.of(Rate.parse(rate));
        assertThat(sliding.limit()).isEqualTo(permits);
        assertThat(sliding.periodNanos()).isEqualTo(millis * 1_000_000);
    }

    @ParameterizedTest
    @CsvSource({
        "401/401d",
        "9000000000/9000000000s",
        "10000000000000/10000000000000s",
        "20000000000000000000/20000000000000000000ms"
    })
    void ofWhenWindowIsLongerThan400DaysThenSaysSo(String rate) {
        Rate read = Rate.parse(rate);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FixedWindow.of(read))
                .withMessageContaining("400 days");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SlidingWindow.of(read))
                .withMessageContaining("400 days");
    }

    @Test
    void adoptedWhenLimitChangesThenKeepsConsumptionAndDebt() {
        FixedWindow ten = FixedWindow.of(Rate.parse("10/10s"));
        FixedWindow five = FixedWindow.of(Rate.parse("5/10s"));
        FixedWindow fifty = FixedWindow.of(Rate.parse("50/10s"));
        Windows used = new Windows(ten).after("0x10");
        assertThat(Windows.said(used.under(five, 1_000).acquire(1, 1_000))).isEqualTo("REFUSED 0 9000 9000");
        assertThat(used.under(five, 1_000).acquire(5, 10_000).admitted()).isTrue();
        assertThat(used.under(five, 1_000).under(fifty, 2_000).acquire(0, 2_000).remaining())
                .isEqualTo(40);
        Windows owing = new Windows(ten).after("0x10 0x+25");
        assertThat(owing.under(fifty, 1_000).acquire(0, 1_000).remaining()).isEqualTo(15);
        assertThat(owing.under(fifty, 1_000).acquire(0, 10_000).remaining()).isEqualTo(50);
        assertThat(Windows.said(owing.under(five, 1_000).acquire(1, 1_000))).isEqualTo("REFUSED 0 59000 59000");
    }

    @Test
    void chargedWhenDebtIsBeyondCountingThenStaysAtTheMost() {
        for (String rate : new String[] {"1/400d", "1/d", "2000000000/d", "1000000/s", "2/300ms"}) {
            Windows key = new Windows(FixedWindow.of(Rate.parse(rate))).after("0x+9223372036854775807");
            key.after("0x+9223372036854775807");
            Step refused = key.acquire(1, 0);
            assertThat(refused.verdict()).isEqualTo(Step.Verdict.REFUSED);
            assertThat(refused.retryNanos()).as(rate).isBetween(1L << 60, (1L << 61) + (1L << 56));
            assertThat(refused.resetNanos()).isGreaterThanOrEqualTo(refused.retryNanos());
            long years = refused.retryNanos() / 1_000_000 + 1;
            assertThat(key.acquire(1, years).admitted()).as(rate).isTrue();
        }
    }
}
