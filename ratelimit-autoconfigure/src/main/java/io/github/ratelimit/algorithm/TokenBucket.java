package io.github.ratelimit.algorithm;

/**
 * A bucket of permits that refills continuously and that first use finds full.
 *
 * @param rate how fast permits come back
 * @param limit the burst: the most permits one key may draw at once
 * @param gcra the arithmetic of the two
 */
public record TokenBucket(Rate rate, long limit, Gcra gcra) implements Algorithm {

    /**
     * A bucket of the rate and burst.
     *
     * @throws IllegalArgumentException as {@link Gcra#of}
     */
    public static TokenBucket of(Rate rate, long burst) {
        return new TokenBucket(rate, burst, Gcra.of(rate, burst));
    }

    @Override
    public String name() {
        return "token-bucket";
    }

    @Override
    public long fillNanos() {
        return gcra.fillNanos();
    }
}
