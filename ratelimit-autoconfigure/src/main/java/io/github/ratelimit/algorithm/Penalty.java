package io.github.ratelimit.algorithm;

/**
 * How a key is punished that is refused again and again.
 *
 * <p>Think of {@code after} 5, {@code within} a minute, {@code ban} ten minutes, {@code multiplier} 2, {@code maxBan} a day and
 * {@code permanentAfter} 3: the fifth refusal within a minute bans the key for ten minutes, the next five for twenty; the
 * third ban lasts until somebody lifts it. Bans are forgotten once the key has gone without one for as long as
 * {@code maxBan}.
 *
 * @param after refusals that lead to a ban, 1 to {@link #MAX_AFTER}
 * @param withinNanos the time within which they count
 * @param banNanos length of the first ban
 * @param multiplier how many times longer each further ban is, at least 1
 * @param maxBanNanos the longest ban that ends by itself, at least the first
 * @param permanentAfter number of the ban that does not end by itself; {@link #NO_PERMANENT_BAN} for none
 */
public record Penalty(
        int after, long withinNanos, long banNanos, int multiplier, long maxBanNanos, int permanentAfter) {

    /** The time of each counts, so that a key takes so many times eight bytes at most. */
    public static final int MAX_AFTER = 100;

    /** Every ban ends by itself. */
    public static final int NO_PERMANENT_BAN = Integer.MAX_VALUE;

    /** Checks the bounds. */
    public Penalty {
        if (after < 1 || after > MAX_AFTER) {
            throw new IllegalArgumentException("after is not 1 to " + MAX_AFTER + ": " + after);
        }
        if (withinNanos < 1 || banNanos < 1 || multiplier < 1 || maxBanNanos < banNanos || permanentAfter < 1) {
            throw new IllegalArgumentException("Not a penalty: within " + withinNanos + " ns, ban " + banNanos
                    + " ns, multiplier " + multiplier + ", max ban " + maxBanNanos + " ns, permanent after "
                    + permanentAfter);
        }
    }

    /**
     * How long a ban lasts.
     *
     * @param number which ban of the key it is, from 1
     * @return nanoseconds; {@link Step#NEVER} when it does not end by itself
     */
    public long lengthNanos(int number) {
        if (number >= permanentAfter) {
            return Step.NEVER;
        }
        long length = banNanos;
        for (int i = 1; i < number && multiplier > 1 && length < maxBanNanos; i++) {
            length = length > maxBanNanos / multiplier ? maxBanNanos : length * multiplier;
        }
        return length;
    }
}
