package io.github.ratelimit.observe;

import io.github.ratelimit.key.RateLimitKey;
import java.time.InstantSource;

/** What is remembered of one zone. Safe for use by many threads. */
public final class ZoneObserver {

    private final Offenders offenders = new Offenders();
    private final RecentRefusals recent = new RecentRefusals();
    private final Peaks peaks = new Peaks();
    private final RejectionLog log;

    /** Nothing is remembered of this zone yet. */
    public ZoneObserver(String zone) {
        this.log = new RejectionLog(zone);
    }

    /**
     * Notes a draw, whatever becomes of it. Takes some nanoseconds, no lock, and no memory.
     *
     * @param permits what it costs
     * @param clock the wall clock
     */
    public void asked(RateLimitKey key, long permits, InstantSource clock) {
        peaks.add(key, permits, clock);
    }

    /** Notes a draw that was refused, or would have been but for a dry run. */
    public void refused(Refusal refusal) {
        RateLimitKey key = refusal.key();
        if (key != null) {
            offenders.add(key, refusal.at().toEpochMilli());
        }
        recent.add(refusal);
        log.write(refusal);
    }

    /** The keys that were refused most often. */
    public Offenders offenders() {
        return offenders;
    }

    /** The last refusals. */
    public RecentRefusals recent() {
        return recent;
    }

    /** What the traffic suggests to write. */
    public Advice advice() {
        return peaks.advice();
    }
}
