package io.github.ratelimit.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SlidingWindowTests {

    /** One key's life at 10/10s; times in milliseconds. */
    @ParameterizedTest
    @CsvSource(textBlock = """
            # at, cost, verdict remaining reset retry, after these draws (at x cost; + into debt, - given back)
                0,    0, ADMITTED    10     0     0, ''
                0,    1, ADMITTED     9 20000     0, ''
             3000,    1, ADMITTED     9 20000     0, ''
             5000,    4, ADMITTED     0 18000     0, 3000x6
             5000,    5, REFUSED      4 18000  9666, 3000x6
             5000,   11, UNAFFORDABLE 4 18000 never, 3000x6
            # 8 in the window before, a quarter of this one gone: three quarters of the 8 count
             2500,    0, ADMITTED    10     0     0, ''
            12500,    0, ADMITTED     4  7500     0, 0x8
            12500,    4, ADMITTED     0 17500     0, 0x8
            12500,    5, REFUSED      4  7500  1250, 0x8
            13750,    5, ADMITTED     0 16250     0, 0x8
            13749,    5, REFUSED      4  6251     1, 0x8
            12500,    1, REFUSED      0 17500  1250, 0x8 12500x4
            19999,    1, ADMITTED     8 10001     0, 0x10
            19999,    9, ADMITTED     0 10001     0, 0x10
            19999,   10, REFUSED      9     1     1, 0x10
            20000,   10, ADMITTED     0 20000     0, 0x10
            # what the window itself has drawn goes over into the next
            12000,    8, REFUSED      0 18000 14666, 0x4 12000x6
            25000,    8, ADMITTED     0 15000     0, 0x4 12000x4
            12500,    1, ADMITTED     3 17500     0, 0x8 12500x4 12500x-4
            12500,    1, ADMITTED     5 17500     0, 0x8 12500x4 12500x-7
            # 15 are owed: the next window pays 10, the one after it the last 5
             1000,    1, REFUSED      0 39000 25000, 0x10 0x+15
            11000,    1, REFUSED      0 29000 15000, 0x10 0x+15
            25000,    1, REFUSED      0 15000  1000, 0x10 0x+15
            26000,    1, ADMITTED     0 14000     0, 0x10 0x+15
             1000,    6, REFUSED      0 39000 31000, 0x10 0x+15
             1000,    1, REFUSED      0 19000 10000, 0x10 0x+15 0x-15
            # a clock that jumps back by two hours
                0,    1, REFUSED      0 20000 11000, 7200000x10
             5000,    1, ADMITTED     0 20000     0, 7200000x8 7210000x1
                0,    1, ADMITTED     0 20000     0, 7200000x8 7210000x1
            # and leaps by 400 days
            34560000000,   10, ADMITTED     0 20000     0, 0x10 0x+15
            """)
    void acquireWhenDrawnBeforeThenSaysStep(long at, long cost, String said, String before) {
        Windows key = new Windows(SlidingWindow.of(Rate.parse("10/10s"))).after(before);
        assertThat(Windows.said(key.acquire(cost, at))).isEqualTo(said.replaceAll(" +", " "));
    }

    @Test
    void acquireWhenProductsPass64BitsThenStaysExact() {
        Windows key = new Windows(SlidingWindow.of(Rate.parse("2000000000/d"))).after("0x1999999999");
        long day = 86_400_000;
        // of 1,999,999,999 half a day later one half, rounded up, still counts
        assertThat(key.acquire(1_000_000_001, day + day / 2).verdict()).isEqualTo(Step.Verdict.REFUSED);
        assertThat(key.acquire(1_000_000_000, day + day / 2).admitted()).isTrue();
    }

    /** The product is below 2^63, the divisor more than what is left up to it. */
    @Test
    void acquireWhenProductIsJustBelow63BitsThenDoesNotOverflow() {
        SlidingWindow sliding = SlidingWindow.of(Rate.parse("266/400d"));
        long period = 34_560_000_000L;
        Windows key = new Windows(sliding).after("0x266");
        assertThat(key.acquire(1, period + 1).verdict()).isEqualTo(Step.Verdict.REFUSED);
        assertThat(key.acquire(1, period + period / 2).remaining()).isEqualTo(132);
    }

    @Test
    void adoptedWhenLimitChangesThenKeepsConsumption() {
        SlidingWindow ten = SlidingWindow.of(Rate.parse("10/10s"));
        SlidingWindow five = SlidingWindow.of(Rate.parse("5/10s"));
        SlidingWindow fifty = SlidingWindow.of(Rate.parse("50/10s"));
        Windows used = new Windows(ten).after("0x10");
        assertThat(used.under(five, 1_000).acquire(1, 1_000).admitted()).isFalse();
        assertThat(used.under(five, 1_000).under(fifty, 2_000).acquire(0, 2_000).remaining())
                .isEqualTo(40);
        assertThat(used.under(fifty, 15_000).acquire(0, 15_000).remaining()).isEqualTo(45);
    }

    @Test
    void adoptedWhenKindChangesThenWhatCountsIsKept() {
        SlidingWindow sliding = SlidingWindow.of(Rate.parse("10/10s"));
        FixedWindow fixed = FixedWindow.of(Rate.parse("10/10s"));
        Windows slid = new Windows(sliding).after("0x8 12500x2");
        assertThat(Windows.said(slid.under(fixed, 12_500).acquire(0, 12_500))).isEqualTo("ADMITTED 2 7500 0");
        assertThat(slid.under(fixed, 12_500).acquire(0, 20_000).remaining()).isEqualTo(10);
        Windows counted = new Windows(fixed).after("0x8");
        assertThat(Windows.said(counted.under(sliding, 5_000).acquire(0, 5_000)))
                .isEqualTo("ADMITTED 2 15000 0");
    }
}
