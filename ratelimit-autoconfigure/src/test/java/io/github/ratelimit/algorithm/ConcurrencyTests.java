package io.github.ratelimit.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConcurrencyTests {

    /** At most five at once; times in milliseconds. */
    @ParameterizedTest
    @CsvSource(textBlock = """
            # in use, cost, verdict remaining reset retry
            0, 0, ADMITTED 5 0 0
            0, 1, ADMITTED 4 1000 0
            0, 5, ADMITTED 0 1000 0
            0, 6, UNAFFORDABLE 5 0 never
            3, 0, ADMITTED 2 1000 0
            3, 2, ADMITTED 0 1000 0
            3, 3, REFUSED 2 1000 1000
            3, 6, UNAFFORDABLE 2 1000 never
            5, 1, REFUSED 0 1000 1000
            9, 1, REFUSED 0 1000 1000
            5, 9223372036854775807, UNAFFORDABLE 0 1000 never
            """)
    void judgeWhenInUseThenSaysStep(long inUse, long cost, String said) {
        assertThat(Windows.said(new Concurrency(5).judge(inUse, cost))).isEqualTo(said);
    }

    /** Permits come back when requests end, not with time: there is no window to tell clients of. */
    @Test
    void fillNanosThenIsZero() {
        assertThat(new Concurrency(5).fillNanos()).isZero();
    }

    @Test
    void limitWhenBelowOneThenIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Concurrency(0));
        assertThatIllegalArgumentException().isThrownBy(() -> new Concurrency(-1));
    }
}
