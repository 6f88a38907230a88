package io.github.ratelimit.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.FixedWindow;
import io.github.ratelimit.algorithm.LeakyBucket;
import io.github.ratelimit.algorithm.SlidingWindow;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AlgorithmCompilerTests {

    @ParameterizedTest
    @CsvSource(textBlock = """
            rate: 10/s,                                 0, 0
            'rate: 10/s, burst: 5',                     5, 0
            'rate: 10/s, burst: 5, delay-after: 0',     5, 0
            'rate: 10/s, burst: 5, delay-after: 3',     5, 3
            'rate: 10/s, burst: 5, delay-after: never', 5, 9223372036854775807
            'rate: 10/s, burst: 5, delay-after: Never', 5, 9223372036854775807
            """)
    void compileWhenLeakyBucketThenItIsNginxs(String settings, long burst, long delayAfter) {
        LeakyBucket bucket = (LeakyBucket) algorithm("algorithm: leaky-bucket, " + settings);
        assertThat(bucket.burst()).isEqualTo(burst);
        assertThat(bucket.limit()).isEqualTo(burst + 1);
        assertThat(bucket.delayAfter()).isEqualTo(delayAfter);
    }

    @Test
    void compileWhenWindowThenCountsThePermitsOfTheRateInItsPeriod() {
        FixedWindow fixed = (FixedWindow) algorithm("algorithm: fixed-window, rate: 100/15m");
        assertThat(fixed.limit()).isEqualTo(100);
        assertThat(fixed.periodNanos()).isEqualTo(900_000_000_000L);
        SlidingWindow sliding = (SlidingWindow) algorithm("algorithm: sliding-window, rate: 0.5/s");
        assertThat(sliding.limit()).isEqualTo(1);
        assertThat(sliding.periodNanos()).isEqualTo(2_000_000_000L);
    }

    @Test
    void compileWhenConcurrencyThenHasItsLimitAndNoRate() {
        Algorithm concurrency = algorithm("algorithm: concurrency, max-concurrent: 50");
        assertThat(concurrency.limit()).isEqualTo(50);
        assertThat(concurrency.rate()).isNull();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            rate: 5/s, delay-after: 2                                     | delay-after has no meaning for this algorithm; remove it, or write algorithm: leaky-bucket
            rate: 5/s, max-concurrent: 2                                  | max-concurrent has no meaning for this algorithm; remove it, or write algorithm: concurrency
            algorithm: fixed-window, rate: 5/s, burst: 2                  | burst has no meaning for this algorithm; remove it, or write algorithm: token-bucket or leaky-bucket
            algorithm: sliding-window, rate: 5/s, burst: 2                | burst has no meaning for this algorithm
            algorithm: sliding-window                                     | rate is missing
            algorithm: leaky-bucket, rate: 5/s, burst: -1                 | burst is '-1', which is out of range; write how many requests may wait, 0 for none
            algorithm: leaky-bucket, rate: 5/s, delay-after: soon         | delay-after is 'soon'; write how many excess requests go straight through before the rest wait, or never
            algorithm: leaky-bucket, rate: 5/s, delay-after: -1           | delay-after is '-1'; write how many
            algorithm: concurrency                                        | max-concurrent is missing; write how many requests of one key may be in flight, such as 50
            algorithm: concurrency, max-concurrent: 0                     | max-concurrent is '0', which is below 1
            algorithm: concurrency, max-concurrent: 5, rate: 5/s          | rate has no meaning for this algorithm
            algorithm: concurrency, max-concurrent: 5, burst: 5           | burst has no meaning for this algorithm
            """)
    void compileWhenASettingIsWrongOrMisplacedThenItIsAFault(String settings, String fault) {
        assertThat(TestConfiguration.yaml("ratelimit.zones.a: {" + settings + "}")
                        .faultLines())
                .singleElement()
                .asString()
                .startsWith("ratelimit.zones.a." + fault);
    }

    @Test
    void compileWhenAnInlineRuleIsWrittenThenItIsATokenBucket() {
        assertThat(TestConfiguration.yaml("ratelimit.rules: [{path: /a, rate: 2/s, burst: 8}]")
                        .compiled()
                        .zones()
                        .values())
                .singleElement()
                .extracting(zone -> zone.algorithm().name())
                .isEqualTo("token-bucket");
    }

    private static Algorithm algorithm(String settings) {
        return Objects.requireNonNull(TestConfiguration.yaml("ratelimit.zones.a: {" + settings + "}")
                        .compiled()
                        .zones()
                        .get("a"))
                .algorithm();
    }
}
