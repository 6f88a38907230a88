package io.github.ratelimit.observe;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** The last refusals of one zone, a fixed number of them. Adding waits for nobody. Safe for use by many threads. */
public final class RecentRefusals {

    /** How many are kept. */
    public static final int SIZE = 50;

    private final AtomicReferenceArray<Refusal> ring = new AtomicReferenceArray<>(SIZE);
    private final AtomicLong added = new AtomicLong();

    /** Adds one in place of the oldest. */
    void add(Refusal refusal) {
        ring.set((int) (added.getAndIncrement() % SIZE), refusal);
    }

    /** Those that are kept, the latest first. */
    public List<Refusal> list() {
        List<Refusal> list = new ArrayList<>(SIZE);
        long next = added.get();
        for (long i = next - 1; i >= 0 && i >= next - SIZE; i--) {
            Refusal refusal = ring.get((int) (i % SIZE));
            if (refusal != null) {
                list.add(refusal);
            }
        }
        return list;
    }
}
