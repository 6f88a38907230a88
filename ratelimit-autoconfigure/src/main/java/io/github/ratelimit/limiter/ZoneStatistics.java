package io.github.ratelimit.limiter;

import io.github.ratelimit.Decision.Outcome;
import io.github.ratelimit.Decision.Reason;
import java.time.Instant;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What became of the draws on one zone since the application started. Safe for use by many threads. */
public final class ZoneStatistics {

    private static final Tier[] ALL = Tier.values();
    private static final int TIERS = ALL.length;

    private final LongAdder[] outcomes = adders(Outcome.values().length * TIERS);
    private final LongAdder[] reasons = adders(Reason.values().length);
    private final LongAdder bans = new LongAdder();
    private volatile @Nullable Instant lastRejectedAt;

    void add(Outcome outcome, Tier tier) {
        outcomes[index(outcome, tier)].increment();
    }

    void addRejection(Reason reason, Instant now) {
        reasons[reason.ordinal()].increment();
        lastRejectedAt = now;
    }

    void addBan() {
        bans.increment();
    }

    /** Bans imposed by this instance, those of a dry run left out. */
    public long bans() {
        return bans.sum();
    }

    /** Draws with this outcome, decided by this tier. */
    public long count(Outcome outcome, Tier tier) {
        return outcomes[index(outcome, tier)].sum();
    }

    /** Draws with this outcome. */
    public long count(Outcome outcome) {
        long count = 0;
        for (Tier tier : ALL) {
            count += count(outcome, tier);
        }
        return count;
    }

    /** Refusals for this reason, those of a dry run left out. */
    public long rejections(Reason reason) {
        return reasons[reason.ordinal()].sum();
    }

    /** The time of the last refusal, {@code null} when there was none. */
    public @Nullable Instant lastRejectedAt() {
        return lastRejectedAt;
    }

    private static int index(Outcome outcome, Tier tier) {
        return outcome.ordinal() * TIERS + tier.ordinal();
    }

    private static LongAdder[] adders(int count) {
        return Stream.generate(LongAdder::new).limit(count).toArray(LongAdder[]::new);
    }
}
