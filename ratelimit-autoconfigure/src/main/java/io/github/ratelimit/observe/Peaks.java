package io.github.ratelimit.observe;

import io.github.ratelimit.key.RateLimitKey;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Learns the most that each key of a zone has asked for within one second, and tells the distribution of these peaks.
 *
 * <p>A second begins at a key's first request in it. What a request costs is what it counts. As long as there are no more
 * keys than {@value #MOST_KEYS}, every key is followed, and the distribution is exact; then a sample is, of half the keys, of a quarter and so
 * on: those whose hash begins with so many zeros (Gibbons: <i>Distinct Sampling for Highly-Accurate Answers to Distinct
 * Values Queries</i>, 2001). As each key is in the sample or not whatever it does, the sample has the distribution of all; of
 * {@value #MOST_KEYS} / 2 keys at least, the 95th percentile lies between the 94th and the 96th.
 *
 * <p>Keys are told apart by hashes of 64 bits.
 *
 * <p>One table of two long numbers a slot, grown from {@value #FIRST_SLOTS} to {@value #MOST_SLOTS} slots. To count takes one look at the clock and one
 * compare-and-set; a key that is not in the sample takes neither. Nothing is allocated but by the one thread that grows or
 * thins the table, and what is counted just then may be lost. Safe for use by many threads.
 */
public final class Peaks {

    private static final int FIRST_SLOTS = 256;
    private static final int MOST_SLOTS = 8192;

    /** Three quarters of the slots. */
    private static final int MOST_KEYS = 6144;

    private static final int PROBES = 64;
    private static final int SECOND_MILLIS = 1_000;

    private final AtomicBoolean rebuilding = new AtomicBoolean();
    private volatile Table table = new Table(FIRST_SLOTS, 0);

    /**
     * Counts a request.
     *
     * @param permits what it costs
     * @param clock the wall clock
     */
    void add(RateLimitKey key, long permits, InstantSource clock) {
        Table current = table;
        long print = spread(key.print());
        if (current.samples(print)) {
            current.add(print, permits, clock.millis());
            if (current.isCrowded() && rebuilding.compareAndSet(false, true)) {
                try {
                    table = table.roomier();
                } finally {
                    rebuilding.set(false);
                }
            }
        }
    }

    /** What was learnt so far. */
    public Advice advice() {
        Table current = table;
        int[] peaks = current.peaks();
        return Advice.of((long) peaks.length << current.level, peaks);
    }

    /** Spreads a hash over all bits, one to one (the finisher of SplitMix64); zero is an empty slot. */
    private static long spread(long hash) {
        long mixed = (hash ^ hash >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        mixed ^= mixed >>> 31;
        return mixed == 0 ? 1 : mixed;
    }

    /** Open addressing; a slot is taken once and stays. */
    private static final class Table {

        private static final int BITS = 20;
        private static final long MOST = (1L << BITS) - 1;
        private static final int TIME_BITS = 24;
        private static final long TIMES = (1L << TIME_BITS) - 1;

        final int slots;
        final int level;
        private final AtomicLongArray prints;

        /** The begin of a second in milliseconds, modulo 2^24; what was asked for in it; the peak. */
        private final AtomicLongArray counts;

        private final AtomicInteger taken = new AtomicInteger();

        Table(int slots, int level) {
            this.slots = slots;
            this.level = level;
            this.prints = new AtomicLongArray(slots);
            this.counts = new AtomicLongArray(slots);
        }

        boolean samples(long print) {
            return level == 0 || print >>> (Long.SIZE - level) == 0;
        }

        void add(long print, long permits, long nowMillis) {
            int slot = slot(print);
            if (slot < 0) {
                return;
            }
            long weight = Math.min(permits, MOST);
            while (true) {
                long before = counts.get(slot);
                if (counts.compareAndSet(slot, before, counted(before, weight, nowMillis))) {
                    return;
                }
            }
        }

        private static long counted(long before, long weight, long nowMillis) {
            long begin = before >>> 2 * BITS;
            long count = before >>> BITS & MOST;
            long peak = before & MOST;
            if (before != 0 && ((nowMillis - begin) & TIMES) < SECOND_MILLIS) {
                count = Math.min(count + weight, MOST);
            } else {
                begin = nowMillis & TIMES;
                count = weight;
            }
            return begin << 2 * BITS | count << BITS | Math.max(peak, count);
        }

        /** The slot of a key, taken for it if it has none; negative when there is none near. */
        private int slot(long print) {
            for (int probe = 0; probe < PROBES; probe++) {
                int slot = (int) (print + probe) & (slots - 1);
                long there = prints.get(slot);
                if (there == 0 && prints.compareAndSet(slot, 0, print)) {
                    taken.incrementAndGet();
                    return slot;
                }
                if (there == print || (there == 0 && prints.get(slot) == print)) {
                    return slot;
                }
            }
            return -1;
        }

        boolean isCrowded() {
            return taken.get() > slots / 4 * 3;
        }

        /** A table of twice the size, or of half the keys. */
        Table roomier() {
            Table next = this;
            while (next.isCrowded()) {
                next = next.slots < MOST_SLOTS
                        ? copiedTo(new Table(next.slots * 2, level))
                        : copiedTo(new Table(next.slots, next.level + 1));
            }
            return next;
        }

        private Table copiedTo(Table next) {
            for (int i = 0; i < slots; i++) {
                long print = prints.get(i);
                int slot = print == 0 || !next.samples(print) ? -1 : next.slot(print);
                if (slot >= 0) {
                    next.counts.set(slot, counts.get(i));
                }
            }
            return next;
        }

        /** The peaks, sorted; whoever comes meanwhile may be missing, or may take the place of another. */
        int[] peaks() {
            int[] peaks = new int[taken.get()];
            int found = 0;
            for (int i = 0; i < slots && found < peaks.length; i++) {
                int peak = (int) (counts.get(i) & MOST);
                if (peak > 0) {
                    peaks[found++] = peak;
                }
            }
            int[] sorted = found == peaks.length ? peaks : Arrays.copyOf(peaks, found);
            Arrays.sort(sorted);
            return sorted;
        }
    }
}
