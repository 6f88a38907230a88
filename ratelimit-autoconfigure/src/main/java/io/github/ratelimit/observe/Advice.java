package io.github.ratelimit.observe;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * What the traffic of a zone suggests to write: so much that all but one in twenty keys would never have been refused.
 *
 * <p>Think of a hundred keys that have asked for at most 1, 2, 3 … 100 permits within one second: {@code p50} is 50, {@code p95} is 95,
 * {@code max} is 100, {@code rate} is {@code 114/s} and {@code burst} is 456.
 *
 * @param observedKeys how many keys it was learnt from
 * @param p50 the peak that half of them stay within, in permits per second
 * @param p95 the peak that 95 of 100 stay within
 * @param max the highest peak
 * @param rate 1.2 times the 95th percentile, as it is written in the settings; {@code null} as long as there was no traffic
 * @param burst four times that, rounded up; {@code null} as long as there was no traffic
 */
public record Advice(
        long observedKeys,
        long p50,
        long p95,
        long max,
        @Nullable String rate,
        @Nullable Long burst) {

    private static final long BURST_SECONDS = 4;

    /** The advice that peaks give, sorted. */
    static Advice of(long observedKeys, int[] peaks) {
        if (peaks.length == 0) {
            return new Advice(0, 0, 0, 0, null, null);
        }
        long p95 = percentile(peaks, 95);
        BigDecimal rate = BigDecimal.valueOf(p95 * 12, 1).stripTrailingZeros();
        long burst = (p95 * 12 * BURST_SECONDS + 9) / 10;
        return new Advice(
                observedKeys, percentile(peaks, 50), p95, peaks[peaks.length - 1], rate.toPlainString() + "/s", burst);
    }

    /** The smallest peak that so many of a hundred stay within. */
    private static long percentile(int[] sorted, int percent) {
        int rank = (int) (((long) sorted.length * percent + 99) / 100);
        return sorted[rank - 1];
    }
}
