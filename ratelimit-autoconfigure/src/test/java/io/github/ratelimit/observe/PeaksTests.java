package io.github.ratelimit.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.key.RateLimitKey;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PeaksTests {

    private final Peaks peaks = new Peaks();
    private long now = Instant.parse("2026-11-29T19:49:00Z").toEpochMilli();
    private final InstantSource clock = () -> Instant.ofEpochMilli(now);

    @Test
    void adviceWhenThereWasNoTrafficThenSuggestsNothing() {
        assertThat(peaks.advice()).isEqualTo(new Advice(0, 0, 0, 0, null, null));
    }

    @Test
    void adviceWhenAHundredKeysPeakAtOneToAHundredThenIsTheirDistribution() {
        for (int key = 1; key <= 100; key++) {
            for (int i = 0; i < key; i++) {
                add("key-" + key, 1);
            }
        }
        assertThat(peaks.advice()).isEqualTo(new Advice(100, 50, 95, 100, "114/s", 456L));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5, 7, 10, 12, 99, 1_000})
    void adviceThenRateIsOnePointTwoTimesThePercentileAndBurstThreeToFiveTimesThat(int peak) {
        add("key", peak);
        Advice advice = peaks.advice();
        assertThat(advice.rate()).endsWith("/s");
        double rate = Double.parseDouble(String.valueOf(advice.rate()).replace("/s", ""));
        assertThat(rate).isEqualTo(peak * 12 / 10.0);
        assertThat(Objects.requireNonNull(advice.burst()).doubleValue()).isBetween(rate * 3, rate * 5);
    }

    @Test
    void addWhenASecondHasPassedThenThePeakStaysAndCountingBeginsAnew() {
        add("key", 1);
        add("key", 1);
        add("key", 1);
        now += 1_000;
        add("key", 1);
        assertThat(peaks.advice().max()).isEqualTo(3);
        now += 999;
        add("key", 3);
        assertThat(peaks.advice().max()).isEqualTo(4);
    }

    @Test
    void addWhenTheClockIsSetBackThenCountingBeginsAnew() {
        add("key", 5);
        now -= 10_000;
        add("key", 1);
        assertThat(peaks.advice().max()).isEqualTo(5);
    }

    @Test
    void addWhenCostsAreHugeThenDoesNotOverflow() {
        add("key", Long.MAX_VALUE);
        add("key", Long.MAX_VALUE);
        assertThat(peaks.advice().max()).isEqualTo((1 << 20) - 1);
    }

    /** Two thirds of the keys ask now and then, a third in bursts. */
    @ParameterizedTest
    @ValueSource(ints = {300, 5_000})
    void adviceWhenKeysFitThenAgreesWithAReferenceThatRemembersAll(int keys) {
        Reference reference = new Reference();
        drive(keys, 60 * keys, reference);
        int[] expected = reference.peaks();
        Advice advice = peaks.advice();
        assertThat(advice.observedKeys()).isEqualTo(expected.length);
        assertThat(advice.p50()).isEqualTo(percentile(expected, 50));
        assertThat(advice.p95()).isEqualTo(percentile(expected, 95));
        assertThat(advice.max()).isEqualTo(expected[expected.length - 1]);
    }

    @Test
    void adviceWhenThereAreMoreKeysThanFitThenIsThatOfAFairSample() {
        Reference reference = new Reference();
        drive(100_000, 2_000_000, reference);
        int[] expected = reference.peaks();
        Advice advice = peaks.advice();
        assertThat((double) advice.observedKeys()).isBetween(expected.length * 0.9, expected.length * 1.1);
        assertThat(advice.p50()).isBetween(percentile(expected, 47), percentile(expected, 53));
        assertThat(advice.p95()).isBetween(percentile(expected, 93), percentile(expected, 97));
    }

    @Test
    void addWhenAMillionKeysComeOnceThenNoneSeemsToPeak() {
        for (int key = 0; key < 1_000_000; key++) {
            add("key-" + key, 1);
        }
        Advice advice = peaks.advice();
        assertThat((double) advice.observedKeys()).isBetween(900_000.0, 1_100_000.0);
        assertThat(advice.p95()).isOne();
        assertThat(advice.max()).isOne();
    }

    @Test
    void addWhenManyThreadsCountOneKeyThenNothingIsLost() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(8);
        for (int t = 0; t < 8; t++) {
            new Thread(() -> {
                        for (int i = 0; i < 10_000; i++) {
                            add("key", 1);
                        }
                        done.countDown();
                    })
                    .start();
        }
        done.await();
        assertThat(peaks.advice().max()).isEqualTo(80_000);
    }

    @Test
    void addWhenManyThreadsBringNewKeysThenEachIsThereOnce() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(8);
        for (int t = 0; t < 8; t++) {
            new Thread(() -> {
                        for (int i = 0; i < 5_000; i++) {
                            add("key-" + i, 1);
                        }
                        done.countDown();
                    })
                    .start();
        }
        done.await();
        // a key that came while the table was copied may be missing until it comes again
        assertThat(peaks.advice().observedKeys()).isBetween(4_900L, 5_000L);
        for (int i = 0; i < 5_000; i++) {
            add("key-" + i, 1);
        }
        assertThat(peaks.advice().observedKeys()).isEqualTo(5_000);
    }

    private void drive(int keys, int requests, Reference reference) {
        Random random = new Random(7);
        for (int i = 0; i < requests; i++) {
            // which keys burst does not depend on the sample
            int number = random.nextInt(keys);
            int times = number % 3 == 0 ? 1 + random.nextInt(1 + number % 40) : 1;
            for (int j = 0; j < times; j++) {
                add("key-" + number, 1);
                reference.add("key-" + number, now);
            }
            now += random.nextInt(3);
        }
    }

    private void add(String key, long permits) {
        peaks.add(RateLimitKey.ofText(key), permits, clock);
    }

    private static long percentile(int[] sorted, int percent) {
        return sorted[(int) Math.ceil(sorted.length * percent / 100.0) - 1];
    }

    /** The same in plain words, with room for every key. */
    private static final class Reference {

        private final Map<String, Long> begin = new HashMap<>();
        private final Map<String, Integer> count = new HashMap<>();
        private final Map<String, Integer> peak = new HashMap<>();

        void add(String key, long now) {
            if (!begin.containsKey(key) || now - begin.get(key) >= 1_000) {
                begin.put(key, now);
                count.put(key, 0);
            }
            int counted = count.merge(key, 1, Integer::sum);
            peak.merge(key, counted, Math::max);
        }

        int[] peaks() {
            int[] peaks = peak.values().stream().mapToInt(Integer::intValue).toArray();
            Arrays.sort(peaks);
            return peaks;
        }
    }
}
