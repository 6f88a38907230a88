package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.algorithm.Penalty;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Makes the penalty of a zone, or finds what is wrong with it. */
final class PenaltyCompiler {

    private static final Duration LONGEST = Duration.ofDays(400);
    private static final Duration USUAL_MAX_BAN = Duration.ofHours(24);

    private final Faults faults;
    private boolean faulty;

    private PenaltyCompiler(Faults faults) {
        this.faults = faults;
    }

    /**
     * Compiles a penalty.
     *
     * @param where its full name
     * @return {@code null} when there is none, or a fault
     */
    static @Nullable Penalty compile(String where, ZoneProperties.@Nullable Penalty written, Faults faults) {
        return written == null ? null : new PenaltyCompiler(faults).compile(where, written);
    }

    private @Nullable Penalty compile(String where, ZoneProperties.Penalty written) {
        if (written.after() < 1 || written.after() > Penalty.MAX_AFTER) {
            fault(
                    where + ".after",
                    "is " + written.after() + "; write after how many rejections a key is banned, 1 to "
                            + Penalty.MAX_AFTER);
        }
        long within = nanos(where + ".within", written.within(), "1m");
        long ban = nanos(where + ".ban", written.ban(), "10m");
        if (written.multiplier() < 1) {
            fault(
                    where + ".multiplier",
                    "is " + written.multiplier()
                            + "; write how many times longer each further ban is, 1 for no longer");
        }
        Integer permanentAfter = written.permanentAfter();
        if (permanentAfter != null && permanentAfter < 1) {
            fault(
                    where + ".permanent-after",
                    "is " + permanentAfter + "; write which ban does not end by itself, at least 1, or leave it out");
        }
        long maxBan = maxBan(where, written, ban);
        return faulty
                ? null
                : new Penalty(
                        written.after(),
                        within,
                        ban,
                        written.multiplier(),
                        maxBan,
                        permanentAfter == null ? Penalty.NO_PERMANENT_BAN : permanentAfter);
    }

    private long maxBan(String where, ZoneProperties.Penalty written, long ban) {
        if (written.maxBan() == null) {
            return Math.max(ban, USUAL_MAX_BAN.toNanos());
        }
        long maxBan = nanos(where + ".max-ban", written.maxBan(), "24h");
        if (!faulty && maxBan < ban) {
            fault(
                    where + ".max-ban",
                    "is shorter than the first ban; write at least as long a time as " + where + ".ban");
        }
        return maxBan;
    }

    /** A time that is above zero and within the bounds of the arithmetic. */
    private long nanos(String where, Duration written, String example) {
        if (written.isNegative() || written.isZero() || written.compareTo(LONGEST) > 0) {
            fault(where, "is not above zero and at most 400 days; write a time, such as " + example);
            return 1;
        }
        return written.toNanos();
    }

    private void fault(String where, String problem) {
        faulty = true;
        faults.add(where, problem);
    }
}
