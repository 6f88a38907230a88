package io.github.ratelimit.algorithm;

import java.util.Arrays;

/**
 * How one key has behaved under a {@link Penalty}: the times at which it was refused of late, how often it was banned,
 * and until when. Immutable; times are of one clock, and only their differences count.
 */
public final class Conduct {

    /** Of a key that was never refused. */
    public static final Conduct BLAMELESS = new Conduct(new long[0], 0, 0, false);

    private final long[] strikes;
    private final int bans;
    private final long until;
    private final boolean permanent;

    private Conduct(long[] strikes, int bans, long until, boolean permanent) {
        this.strikes = strikes;
        this.bans = bans;
        this.until = until;
        this.permanent = permanent;
    }

    /**
     * The conduct of a key that is refused once more. A refusal while it is banned changes nothing: it neither counts nor
     * prolongs the ban.
     */
    public Conduct refused(Penalty penalty, long now) {
        if (isBanned(now)) {
            return this;
        }
        int counted = strikes(penalty, now);
        int before = bans(penalty, now);
        if (counted + 1 < penalty.after()) {
            long[] times = Arrays.copyOfRange(strikes, strikes.length - counted, strikes.length + 1);
            times[counted] = now;
            return new Conduct(times, before, until, false);
        }
        int number = before == Integer.MAX_VALUE ? before : before + 1;
        long length = penalty.lengthNanos(number);
        return length == Step.NEVER
                ? new Conduct(BLAMELESS.strikes, number, now, true)
                : new Conduct(BLAMELESS.strikes, number, now + length, false);
    }

    /** Whether the key is banned. */
    public boolean isBanned(long now) {
        return permanent || (bans > 0 && until - now > 0);
    }

    /** Nanoseconds until the ban ends, 0 without one; {@link Step#NEVER} when it does not end by itself. */
    public long restNanos(long now) {
        if (permanent) {
            return Step.NEVER;
        }
        return isBanned(now) ? until - now : 0;
    }

    /** Refusals that still count towards the next ban. */
    public int strikes(Penalty penalty, long now) {
        int first = 0;
        while (first < strikes.length && now - strikes[first] >= penalty.withinNanos()) {
            first++;
        }
        return strikes.length - first;
    }

    /** Bans that still count, the one in force included. */
    public int bans(Penalty penalty, long now) {
        boolean forgotten = !permanent && now - until >= penalty.maxBanNanos();
        return forgotten ? 0 : bans;
    }

    /** Whether it says no more than {@link #BLAMELESS}, and may be forgotten. */
    public boolean isBlameless(Penalty penalty, long now) {
        return bans(penalty, now) == 0 && strikes(penalty, now) == 0;
    }
}
