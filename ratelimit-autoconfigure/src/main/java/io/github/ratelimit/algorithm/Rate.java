package io.github.ratelimit.algorithm;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Locale;

/**
 * How fast permits come back: {@code permits} in every {@code periodNanos}, as a fraction in lowest terms.
 *
 * <p>Written {@code 10/s}, {@code 30/m}, {@code 1/d}, {@code 0.5/s}, {@code 100/15m}, {@code 7/3s} or
 * {@code 2/300ms}; nginx's {@code 10r/s} and {@code 30r/m} mean the same as without the {@code r}. A number without a
 * period is refused: a forgotten unit must not become a limit a thousand times too high.
 *
 * @param permits permits in one period, at least 1
 * @param periodNanos the period in nanoseconds, at least 1
 * @param text the rate as it was written, for display
 */
public record Rate(long permits, long periodNanos, String text) {

    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long MIN_NANOS_PER_PERMIT = 1_000L;
    private static final long MAX_PERIOD_NANOS = 400L * 86_400 * NANOS_PER_SECOND;
    private static final String TOO_LONG = "has a period of more than 400 days; write a shorter one";
    private static final String EXAMPLES = "write a number, a slash and a period, such as 10/s, 30/m, 0.5/s or 100/15m";

    /** Checks the bounds within which the arithmetic is exact. */
    public Rate {
        if (permits < 1 || periodNanos < 1) {
            throw new IllegalArgumentException("is not above zero; " + EXAMPLES);
        }
        if (periodNanos > MAX_PERIOD_NANOS) {
            throw new IllegalArgumentException(TOO_LONG);
        }
        if (permits > periodNanos / MIN_NANOS_PER_PERMIT) {
            throw new IllegalArgumentException("is above 1000000/s, the fastest rate that is kept exactly");
        }
    }

    /**
     * Reads a rate.
     *
     * @param text the rate as a user writes it
     * @return the rate, in lowest terms
     * @throws IllegalArgumentException with a sentence that follows the name of the property and says what to write
     */
    public static Rate parse(String text) {
        String trimmed = text.trim().toLowerCase(Locale.ROOT);
        int slash = trimmed.indexOf('/');
        if (slash < 0) {
            throw new IllegalArgumentException("has no period; " + EXAMPLES);
        }
        String amount = trimmed.substring(0, slash).trim();
        if (amount.endsWith("r")) {
            amount = amount.substring(0, amount.length() - 1);
        }
        BigDecimal permits = number(amount);
        BigDecimal period = period(trimmed.substring(slash + 1).trim());
        if (permits.signum() <= 0 || period.signum() <= 0) {
            throw new IllegalArgumentException("is not above zero; " + EXAMPLES);
        }
        int scale = Math.max(0, Math.max(permits.scale(), period.scale()));
        BigInteger wholePermits = permits.movePointRight(scale).toBigIntegerExact();
        BigInteger wholePeriod = period.movePointRight(scale).toBigIntegerExact();
        BigInteger common = wholePermits.gcd(wholePeriod);
        return new Rate(
                exact(wholePermits.divide(common)),
                exact(wholePeriod.divide(common)),
                amount + trimmed.substring(slash));
    }

    /** The permits of the rate as a user reads it: 10 of {@code 10/s}, 100 of {@code 100/15m}, 1 of {@code 0.5/s}. */
    public long writtenPermits() {
        BigDecimal written = new BigDecimal(text.substring(0, text.indexOf('/')));
        return Math.max(1, written.min(BigDecimal.valueOf(Long.MAX_VALUE)).longValue());
    }

    /** The permits of one window, where permits are counted in windows: those written if they are a whole number. */
    public long windowPermits() {
        return isWrittenWhole() ? writtenPermits() : permits;
    }

    /**
     * The nanoseconds in which {@link #windowPermits()} come back.
     *
     * @throws IllegalArgumentException when they are too many, with a sentence that follows the name of the property
     */
    public long windowNanos() {
        long periods = isWrittenWhole() ? writtenPermits() / permits : 1;
        if (periods > MAX_PERIOD_NANOS / periodNanos) {
            throw new IllegalArgumentException(TOO_LONG);
        }
        return periods * periodNanos;
    }

    private boolean isWrittenWhole() {
        return writtenPermits() % permits == 0;
    }

    private static BigDecimal number(String digits) {
        boolean plain = !digits.isEmpty() && digits.length() <= 20;
        for (int i = 0; plain && i < digits.length(); i++) {
            char c = digits.charAt(i);
            plain = (c >= '0' && c <= '9') || c == '.';
        }
        try {
            if (plain) {
                return new BigDecimal(digits);
            }
        } catch (NumberFormatException e) {
            // two points, or a point alone: reported below like any other misspelling
        }
        throw new IllegalArgumentException("is not a rate; " + EXAMPLES);
    }

    private static BigDecimal period(String text) {
        int digits = 0;
        while (digits < text.length()
                && (Character.digit(text.charAt(digits), 10) >= 0 || text.charAt(digits) == '.')) {
            digits++;
        }
        BigDecimal count = digits == 0 ? BigDecimal.ONE : number(text.substring(0, digits));
        return count.multiply(
                BigDecimal.valueOf(unitNanos(text.substring(digits).trim())));
    }

    private static long unitNanos(String unit) {
        return switch (unit) {
            case "ms" -> NANOS_PER_SECOND / 1000;
            case "s", "sec", "second" -> NANOS_PER_SECOND;
            case "m", "min", "minute" -> 60 * NANOS_PER_SECOND;
            case "h", "hour" -> 3600 * NANOS_PER_SECOND;
            case "d", "day" -> 86_400 * NANOS_PER_SECOND;
            default -> throw new IllegalArgumentException("has no period in ms, s, m, h or d; " + EXAMPLES);
        };
    }

    private static long exact(BigInteger value) {
        if (value.bitLength() > 62) {
            throw new IllegalArgumentException("is out of range; " + EXAMPLES);
        }
        return value.longValue();
    }

    @Override
    public String toString() {
        return text;
    }
}
