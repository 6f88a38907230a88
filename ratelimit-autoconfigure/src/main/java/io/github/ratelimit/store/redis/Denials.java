package io.github.ratelimit.store.redis;

import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Concurrency;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.algorithm.Step.Verdict;
import io.github.ratelimit.store.Demand;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Refusals that Redis has made and that cannot have changed since, so that it need not be asked again.
 *
 * <p>What was refused stays refused until its wait is over, for nothing but time brings permits back, except a refund. Of
 * those this instance hears: the script tells a channel of every key that got something back. A refusal that is older
 * than a second is believed only if the channel has been listened to since before it was made. It counts for the same limit
 * and the same cost alone. Bounded: what is forgotten is asked again.
 */
final class Denials {

    /** Refusals kept, about 200 bytes each. */
    static final int MOST = 50_000;

    private static final long BLIND_NANOS = 1_000_000_000L;
    private static final long LAG_NANOS = 1_000_000;
    private static final long NEVER = Long.MAX_VALUE;

    private final ConcurrentMap<RedisKey, Entry> entries;
    private volatile boolean listening;
    private volatile long listeningSince;

    /**
     * A refusal, or a refund after which no older refusal counts.
     *
     * @param sinceNanos when it was asked, or the refund was heard of
     * @param step what was said, {@code null} for a refund
     */
    private record Entry(
            long sinceNanos,
            @Nullable Algorithm algorithm,
            long cost,
            @Nullable Step step) {}

    Denials(int most) {
        entries = Caffeine.newBuilder()
                .maximumSize(most)
                .executor(Runnable::run)
                .<RedisKey, Entry>build()
                .asMap();
    }

    /** The channel is listened to from now on. */
    void listening(long nanos) {
        listeningSince = nanos;
        listening = true;
    }

    /** The channel was lost: whatever is told there from now on is not heard. */
    void deaf() {
        listening = false;
    }

    /** What Redis would say to a demand; {@code null} when it has to be asked. */
    @Nullable
    Step find(Demand demand, RedisKey key, long nanos) {
        Entry entry = entries.get(key);
        if (entry == null || entry.step() == null) {
            return null;
        }
        Step step = entry.step();
        long age = Math.max(0, nanos - entry.sinceNanos());
        if (age >= step.retryNanos() || !isBelieved(entry, age)) {
            entries.remove(key, entry);
            return null;
        }
        if (entry.algorithm() != demand.algorithm() || entry.cost() != demand.cost()) {
            return null;
        }
        return new Step(
                Verdict.REFUSED, step.remaining(), Math.max(0, step.resetNanos() - age), step.retryNanos() - age, 0);
    }

    private boolean isBelieved(Entry entry, long age) {
        return age < BLIND_NANOS || hasHeardSince(entry.sinceNanos());
    }

    /** Whether the channel has been listened to since then. */
    boolean hasHeardSince(long nanos) {
        return listening && listeningSince - nanos <= 0;
    }

    /**
     * Notes what Redis has said. Its wait counts from the moment at which the answer came, or a thousandth of a second after
     * it was asked: to ask earlier than it ends would be in vain.
     *
     * @param askedNanos when it was asked
     * @param answeredNanos when the answer came
     */
    void note(Demand demand, RedisKey key, Step step, long askedNanos, long answeredNanos) {
        if (step.verdict() != Verdict.REFUSED
                || step.retryNanos() == NEVER
                || demand.cost() == 0
                || demand.algorithm() instanceof Concurrency) {
            return;
        }
        long lag = Math.min(answeredNanos - askedNanos, LAG_NANOS);
        Entry refused = new Entry(askedNanos + lag, demand.algorithm(), demand.cost(), step);
        entries.compute(
                key,
                (same, known) -> known != null && known.step() == null && known.sinceNanos() - askedNanos >= 0
                        ? known
                        : refused);
    }

    /** A key has got something back: what was refused before need not be refused now. */
    void refunded(RedisKey key, long nanos) {
        entries.computeIfPresent(key, (same, known) -> new Entry(nanos, null, 0, null));
    }
}
