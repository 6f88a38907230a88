package io.github.ratelimit.algorithm;

import java.math.BigInteger;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The generic cell rate algorithm, as ITU-T I.371 describes it: one number per key, the <em>theoretical arrival
 * time</em> (TAT), says everything.
 *
 * <p>Think of the TAT as the moment at which the bucket will be whole again. Each permit moves it one <em>emission
 * interval</em> into the future; a draw is admitted while the TAT stays within the <em>capacity</em>, the time the
 * whole burst takes to refill. A TAT in the past is a full bucket and carries no information.
 *
 * <p>Time runs in <em>units</em>, {@code unitsPerNano} to the nanosecond, chosen so that the emission interval is a
 * whole number: for {@code 7/3s} a permit takes 6,000,000,000 units of a fourteenth of a nanosecond. Rates whose reduced
 * numerator is above {@value #MAX_UNITS_PER_NANO} have their interval rounded down, an error below 0.004 %.
 *
 * <p>All methods are pure. A TAT is only ever compared with the time by their difference, as with
 * {@link System#nanoTime()}: both may wrap around, and an uptime has no end. What must not happen is that a state lies
 * unread for longer than 2<sup>63</sup> units, which is four and a half years at the finest. Clocks may stand still or
 * leap forward; after a jump back a key is at worst as if just spent, never locked for the length of the jump, provided
 * that its store keeps what {@link #settled} says of a state that {@link #isAhead}. Only a key in debt pays for a jump:
 * its debt may be of any length, so the jump is taken for a part of it.
 */
public final class Gcra {

    static final long MAX_UNITS_PER_NANO = 32;

    /** Leaves room for a debt, a draw on top of it and a jump back of a year without overflow. */
    private static final long MAX_LEVEL = 1L << 61;

    /** All times are even; an odd one says that the key is in debt, so that no jump of the clock is taken for one. */
    private static final long IN_DEBT = 1;

    private final long unitsPerNano;
    private final long interval;
    private final long capacity;
    private final long burst;

    private Gcra(long unitsPerNano, long interval, long burst) {
        this.unitsPerNano = unitsPerNano;
        this.interval = interval;
        this.burst = burst;
        this.capacity = interval * burst;
    }

    /**
     * The arithmetic of a rate and a burst.
     *
     * @param rate how fast permits come back
     * @param burst the most permits one key may draw at once, at least 1
     * @throws IllegalArgumentException when the burst takes longer to refill than can be counted
     */
    public static Gcra of(Rate rate, long burst) {
        long units = Math.min(rate.permits(), MAX_UNITS_PER_NANO);
        long interval = rate.permits() == units
                ? rate.periodNanos()
                : Math.multiplyExact(rate.periodNanos(), units) / rate.permits();
        if (burst < 1) {
            throw new IllegalArgumentException("is below 1; write how many permits one key may draw at once");
        }
        if (burst > MAX_LEVEL / 2 / interval) {
            throw new IllegalArgumentException(
                    "takes more years to refill at " + rate + " than can be counted; write a smaller one");
        }
        return new Gcra(2 * units, 2 * interval, burst);
    }

    /** The most permits one key may draw at once. */
    public long burst() {
        return burst;
    }

    /** Nanoseconds until an empty bucket is whole, rounded up. */
    public long fillNanos() {
        return nanos(capacity);
    }

    /** The state of a key that has never drawn. */
    public long full(long nowNanos) {
        return nowNanos * unitsPerNano;
    }

    /**
     * Whether a draw may be made.
     *
     * @param tat the state before
     * @param cost permits to draw, 0 for a look
     * @param nowNanos the time of the store
     */
    public boolean admits(long tat, long cost, long nowNanos) {
        return cost <= burst && level(tat, nowNanos) + cost * interval <= capacity;
    }

    /** The theoretical arrival time after a draw that may be made. */
    public long after(long tat, long cost, long nowNanos) {
        return settled(tat, nowNanos) + cost * interval;
    }

    /** Whether this state carries no information: forgetting it hands out no quota. */
    public boolean isFull(long tat, long nowNanos) {
        return tat - full(nowNanos) <= 0;
    }

    /** Whether no draw up to this time can have led to this state: the clock has jumped back since. */
    public boolean isAhead(long tat, long nowNanos) {
        return tat - full(nowNanos) > bound(tat);
    }

    /** The same state between full and spent at this time, or in debt if it was. */
    public long settled(long tat, long nowNanos) {
        return state(level(tat, nowNanos), nowNanos);
    }

    /** The state after a draw that is made whether or not there is anything left: the key may go into debt. */
    public long indebted(long tat, long cost, long nowNanos) {
        long level = level(tat, nowNanos);
        return state(cost > (MAX_LEVEL - level) / interval ? MAX_LEVEL : level + cost * interval, nowNanos);
    }

    /** The state after giving permits back; a bucket never holds more than its burst. */
    public long refunded(long tat, long cost, long nowNanos) {
        long level = level(tat, nowNanos);
        return state(cost > level / interval ? 0 : level - cost * interval, nowNanos);
    }

    /** The same consumption in permits, said in the units of this arithmetic: a changed rate hands out no quota. */
    public long converted(long tat, Gcra from, long nowNanos) {
        BigInteger[] scaled = BigInteger.valueOf(from.level(tat, nowNanos))
                .multiply(BigInteger.valueOf(interval))
                .divideAndRemainder(BigInteger.valueOf(from.interval));
        long bound = from.level(tat, nowNanos) > from.capacity ? MAX_LEVEL : capacity;
        long level = scaled[0]
                .add(BigInteger.valueOf(scaled[1].signum()))
                .min(BigInteger.valueOf(bound))
                .longValue();
        return state(level + (level & IN_DEBT), nowNanos);
    }

    /** How long a draw that was made waits until it would be in service, if some go before their turn. */
    long waitNanos(long tatAfter, long cost, long passes, long nowNanos) {
        return Math.max(0, nanos(level(tatAfter, nowNanos) - (cost + passes) * interval));
    }

    /** Permits drawn and not yet come back, rounded up. */
    public long drawn(long tat, long nowNanos) {
        long level = level(tat, nowNanos);
        return level / interval + (level % interval == 0 ? 0 : 1);
    }

    /** Describes a draw that was made. */
    public Step admitted(long tatAfter, long nowNanos) {
        return admitted(tatAfter, nowNanos, new Step());
    }

    /** Describes a draw that was made in the place that is given for it. */
    public Step admitted(long tatAfter, long nowNanos, Step into) {
        long level = level(tatAfter, nowNanos);
        return into.set(Step.Verdict.ADMITTED, remaining(level), nanos(level), 0, 0);
    }

    /** Describes a draw that may not be made. */
    public Step refused(long tat, long cost, long nowNanos) {
        return refused(tat, cost, nowNanos, new Step());
    }

    /** Describes a draw that may not be made in the place that is given for it. */
    public Step refused(long tat, long cost, long nowNanos, Step into) {
        long level = level(tat, nowNanos);
        long remaining = remaining(level);
        return cost > burst
                ? into.set(Step.Verdict.UNAFFORDABLE, remaining, nanos(level), Step.NEVER, 0)
                : into.set(Step.Verdict.REFUSED, remaining, nanos(level), nanos(level + cost * interval - capacity), 0);
    }

    private long remaining(long level) {
        return Math.max(0, capacity - level) / interval;
    }

    /** How far the bucket is from full, in units: 0 to the capacity, or beyond it when the key is in debt. */
    private long level(long tat, long nowNanos) {
        return Math.min(Math.max(tat - (tat & IN_DEBT) - full(nowNanos), 0), bound(tat));
    }

    private long bound(long tat) {
        return isInDebt(tat) ? MAX_LEVEL : capacity;
    }

    private long state(long level, long nowNanos) {
        return full(nowNanos) + level + (level > capacity ? IN_DEBT : 0);
    }

    private static boolean isInDebt(long tat) {
        return (tat & IN_DEBT) != 0;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Gcra that
                && unitsPerNano == that.unitsPerNano
                && interval == that.interval
                && burst == that.burst;
    }

    @Override
    public int hashCode() {
        return Objects.hash(unitsPerNano, interval, burst);
    }

    /** Rounded up: who waits this long has waited long enough. */
    private long nanos(long units) {
        return (units + unitsPerNano - 1) / unitsPerNano;
    }
}
