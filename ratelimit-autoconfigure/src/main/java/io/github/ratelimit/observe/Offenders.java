package io.github.ratelimit.observe;

import io.github.ratelimit.key.RateLimitKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one zone that were refused most often, found with a fixed number of counters.
 *
 * <p>A sketch of the Space-Saving kind (Metwally, Agrawal, El Abbadi: <i>Efficient Computation of Frequent and Top-k
 * Elements in Data Streams</i>, 2005), cut into {@value #STRIPES} stripes by the hash of the key: a key that has no counter takes over the
 * smallest of its stripe, and whatever that had counted is the error of the new count. What is shown is the count without
 * that error, so a key was refused at least so often; with as many keys as counters it is exact. A key that is refused
 * more often than one time in {@value #COUNTERS} keeps its counter.
 *
 * <p>To count a key that has a counter waits for nobody. Of those that want to take one over at the same moment in the same
 * stripe, one does and the others are not counted: whoever is refused often comes again. Safe for use by many threads.
 */
public final class Offenders {

    private static final int STRIPES = 16;
    private static final int SIZE = 16;
    private static final int COUNTERS = STRIPES * SIZE;

    private final Stripe[] stripes = new Stripe[STRIPES];

    Offenders() {
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new Stripe();
        }
    }

    /**
     * A key that was refused often.
     *
     * @param key who
     * @param count at least how often
     * @param lastAt when last
     */
    public record Offender(RateLimitKey key, long count, Instant lastAt) {}

    /** Counts a refusal. */
    void add(RateLimitKey key, long nowMillis) {
        // other bits than those that maps of keys spread by
        stripes[(key.hashCode() >>> 24) % STRIPES].add(key, nowMillis);
    }

    /** The keys that were refused most, the most often first, at most so many. */
    public List<Offender> top(int most) {
        List<Offender> offenders = new ArrayList<>(COUNTERS);
        for (Stripe stripe : stripes) {
            stripe.addTo(offenders);
        }
        offenders.sort(Comparator.comparingLong(Offender::count)
                .thenComparing(Offender::lastAt)
                .reversed());
        return List.copyOf(offenders.subList(0, Math.min(most, offenders.size())));
    }

    private static final class Stripe {

        private final AtomicReferenceArray<Counter> counters = new AtomicReferenceArray<>(SIZE);
        private final AtomicBoolean changing = new AtomicBoolean();

        void add(RateLimitKey key, long nowMillis) {
            Counter counter = find(key);
            if (counter == null && changing.compareAndSet(false, true)) {
                try {
                    // it may have come in meanwhile
                    counter = find(key);
                    if (counter == null) {
                        takeOver(key, nowMillis);
                        return;
                    }
                } finally {
                    changing.set(false);
                }
            }
            if (counter != null) {
                counter.count.incrementAndGet();
                counter.lastMillis = nowMillis;
            }
        }

        private @Nullable Counter find(RateLimitKey key) {
            for (int i = 0; i < SIZE; i++) {
                Counter counter = counters.get(i);
                if (counter != null && counter.key.equals(key)) {
                    return counter;
                }
            }
            return null;
        }

        private void takeOver(RateLimitKey key, long nowMillis) {
            int smallest = 0;
            long least = Long.MAX_VALUE;
            for (int i = 0; i < SIZE && least > 0; i++) {
                Counter counter = counters.get(i);
                long count = counter == null ? 0 : counter.count.get();
                if (count < least) {
                    least = count;
                    smallest = i;
                }
            }
            counters.set(smallest, new Counter(key, least, nowMillis));
        }

        void addTo(List<Offender> offenders) {
            for (int i = 0; i < SIZE; i++) {
                Counter counter = counters.get(i);
                if (counter != null) {
                    offenders.add(new Offender(
                            counter.key,
                            counter.count.get() - counter.error,
                            Instant.ofEpochMilli(counter.lastMillis)));
                }
            }
        }
    }

    private static final class Counter {

        final RateLimitKey key;
        final long error;
        final AtomicLong count;
        volatile long lastMillis;

        Counter(RateLimitKey key, long taken, long nowMillis) {
            this.key = key;
            this.error = taken;
            this.count = new AtomicLong(taken + 1);
            this.lastMillis = nowMillis;
        }
    }
}
