package io.github.ratelimit.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.algorithm.Rate;
import java.math.BigDecimal;
import java.math.MathContext;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BucketScaleTests {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1/400d",
                "1/d",
                "2000000000/d",
                "1000000/s",
                "999999/s",
                "999983/s",
                "7/3s",
                "2/300ms",
                "10/s",
                "100/15m",
                "31/1.000001s",
                "999999937/34560000s",
                "3000000000/d"
            })
    void ofWhenARateIsKeptThenItsErrorIsBelowAThousandth(String written) {
        Rate rate = Rate.parse(written);
        BucketScale scale = BucketScale.of(rate);

        BigDecimal micros = BigDecimal.valueOf(rate.periodNanos())
                .divide(BigDecimal.valueOf(1000).multiply(BigDecimal.valueOf(rate.permits())), MathContext.DECIMAL64);
        BigDecimal kept = BigDecimal.valueOf(scale.permit())
                .multiply(BigDecimal.valueOf(2).pow(scale.exponent()))
                .divide(BigDecimal.valueOf(2048), MathContext.DECIMAL64);
        assertThat(scale.permit()).isBetween(2048, 4095);
        assertThat(scale.exponent()).isBetween(0, 44);
        assertThat(micros.subtract(kept).divide(micros, MathContext.DECIMAL64).doubleValue())
                .isBetween(0.0, 0.0005);
    }
}
