package io.github.ratelimit.store.local;

import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Gcra;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.algorithm.TokenBucket;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.store.ZoneStore;
import io.github.ratelimit.store.ZoneUsage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one zone in this JVM.
 *
 * <p>The bound is an admission rule, not an eviction: a key that is held stays until its state carries no information,
 * because to forget a used one would hand out quota. A newcomer that finds no room is counted in one of a fixed number
 * of buckets that newcomers share, each with the zone's own limit, or is refused. When room returns, a newcomer takes
 * its shared bucket's consumption along.
 *
 * <p>No lock is taken to draw from a known key. A key that is met under another limit than before changes its cell in
 * the map, under the lock of its bin.
 */
public final class LocalZone implements ZoneStore {

    private static final int SHARED_BUCKETS = 1024;
    private static final Step FULL = new Step(Step.Verdict.REFUSED_FULL, 0, 0, LocalStore.SWEEP_NANOS, 0);

    private final ConcurrentMap<RateLimitKey, Cell> cells =
            Caffeine.newBuilder().<RateLimitKey, Cell>build().asMap();
    /** By number; a bucket is made at its first draw and stays. */
    private final ConcurrentMap<Integer, Cell> buckets = new ConcurrentHashMap<>();
    /** Keys held, and places that are reserved for keys on their way in. */
    private final AtomicInteger held = new AtomicInteger();

    private final LongAdder sharedDecisions = new LongAdder();
    private final Ticker ticker;
    private volatile int maxKeys;
    private volatile boolean shares;

    LocalZone(int maxKeys, boolean shares, Ticker ticker) {
        this.maxKeys = maxKeys;
        this.shares = shares;
        this.ticker = ticker;
    }

    void configure(int maxKeys, boolean shares) {
        this.maxKeys = maxKeys;
        this.shares = shares;
    }

    @Override
    public Step acquire(RateLimitKey key, Algorithm algorithm, long cost) {
        Gcra gcra = gcra(algorithm);
        while (true) {
            Cell cell = find(cells, key, gcra);
            if (cell != null) {
                Step step = cell.acquire(cost, ticker);
                if (step != null) {
                    return step;
                }
                remove(key, cell);
            } else if (!entered(key, gcra)) {
                Step step = newcomer(key, gcra, cost);
                if (step != null) {
                    return step;
                }
            }
        }
    }

    @Override
    public Step peek(RateLimitKey key, Algorithm algorithm, long cost) {
        Gcra gcra = gcra(algorithm);
        for (Cell cell = find(cells, key, gcra); cell != null; cell = find(cells, key, gcra)) {
            Step step = cell.peek(cost, ticker);
            if (step != null) {
                return step;
            }
            remove(key, cell);
        }
        boolean room = held.get() < maxKeys;
        if (!room && !shares) {
            return FULL;
        }
        while (true) {
            Cell bucket = find(buckets, bucket(key), gcra);
            Step step = (bucket != null ? bucket : fullCell(gcra)).peek(cost, ticker);
            if (step != null) {
                return room ? step : step.shared();
            }
        }
    }

    @Override
    public void refund(RateLimitKey key, Algorithm algorithm, long cost, Step drawn) {
        Gcra gcra = gcra(algorithm);
        for (Cell cell = find(cells, key, gcra); cell != null; cell = find(cells, key, gcra)) {
            if (cell.refund(cost, ticker)) {
                return;
            }
            remove(key, cell);
        }
        // a key whose own state is gone is full; a bucket gets back only what came from it
        if (drawn.verdict() == Step.Verdict.ADMITTED_SHARED) {
            refundBucket(key, gcra, cost);
        }
    }

    @Override
    public void forget(RateLimitKey key) {
        Cell cell = cells.remove(key);
        if (cell != null) {
            cell.die();
            held.decrementAndGet();
        }
    }

    @Override
    public ZoneUsage usage() {
        int keys = held.get();
        int max = maxKeys;
        return new ZoneUsage(keys, max, sharedDecisions.sum(), keys >= max);
    }

    /** Drops the keys whose state carries no information. */
    void sweep() {
        long now = ticker.read();
        cells.forEach((key, cell) -> {
            if (cell.dieIfFull(now)) {
                remove(key, cell);
            }
        });
    }

    /** The cell under this limit, {@code null} when there is none; it may die at any moment. */
    private <K> @Nullable Cell find(ConcurrentMap<K, Cell> map, K key, Gcra gcra) {
        Cell cell = map.get(key);
        return cell == null || cell.isUnder(gcra)
                ? cell
                : map.computeIfPresent(
                        key, (same, other) -> other.isUnder(gcra) ? other : other.successor(gcra, ticker));
    }

    /** Takes a dead cell out; another one of the same key stays. */
    private void remove(RateLimitKey key, Cell cell) {
        if (cells.remove(key, cell)) {
            held.decrementAndGet();
        }
    }

    /** Gives a newcomer a cell of its own; false when there is no room for it. */
    private boolean entered(RateLimitKey key, Gcra gcra) {
        if (!reserved()) {
            return false;
        }
        long before = bucketState(key, gcra);
        long now = ticker.read();
        long inherited = before == Cell.DEAD ? gcra.full(now) : gcra.settled(before, now);
        Cell cell = new Cell(gcra, inherited);
        if (cells.putIfAbsent(key, cell) != null) {
            held.decrementAndGet();
            return true;
        }
        // what the key drew from its shared bucket while it moved out of it comes along too
        long after = bucketState(key, gcra);
        if (after != before && after != Cell.DEAD) {
            while (cell != null && !cell.raise(after - inherited, ticker)) {
                remove(key, cell);
                cell = find(cells, key, gcra);
            }
        }
        return true;
    }

    private boolean reserved() {
        int count = held.get();
        while (count < maxKeys) {
            if (held.compareAndSet(count, count + 1)) {
                return true;
            }
            count = held.get();
        }
        return false;
    }

    /** Decides for a key that found no room; {@code null} when it has got room in the meantime. */
    private @Nullable Step newcomer(RateLimitKey key, Gcra gcra, long cost) {
        if (!shares) {
            return FULL;
        }
        Cell bucket = find(buckets, bucket(key), gcra);
        if (bucket == null) {
            bucket = buckets.computeIfAbsent(bucket(key), absent -> fullCell(gcra));
        }
        Step step = bucket.isUnder(gcra) ? bucket.acquire(cost, ticker) : null;
        if (step == null) {
            return null;
        }
        if (step.admitted() && cells.containsKey(key)) {
            refundBucket(key, gcra, cost);
            return null;
        }
        sharedDecisions.increment();
        return step.shared();
    }

    private void refundBucket(RateLimitKey key, Gcra gcra, long cost) {
        Cell bucket = find(buckets, bucket(key), gcra);
        while (bucket != null && !bucket.refund(cost, ticker)) {
            bucket = find(buckets, bucket(key), gcra);
        }
    }

    /** What the shared bucket of a key holds; {@link Cell#DEAD} when nobody has drawn from it. */
    private long bucketState(RateLimitKey key, Gcra gcra) {
        while (true) {
            Cell bucket = find(buckets, bucket(key), gcra);
            long state = bucket == null ? Cell.DEAD : bucket.state();
            if (bucket == null || state != Cell.DEAD) {
                return state;
            }
        }
    }

    private Cell fullCell(Gcra gcra) {
        return new Cell(gcra, gcra.full(ticker.read()));
    }

    private static Integer bucket(RateLimitKey key) {
        return (key.hashCode() * 0x9E3779B9) >>> (Integer.SIZE - Integer.numberOfTrailingZeros(SHARED_BUCKETS));
    }

    private static Gcra gcra(Algorithm algorithm) {
        return ((TokenBucket) algorithm).gcra();
    }
}
