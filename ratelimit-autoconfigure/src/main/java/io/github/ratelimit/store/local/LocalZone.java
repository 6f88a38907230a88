package io.github.ratelimit.store.local;

import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Gcra;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.algorithm.TokenBucket;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.store.ZoneStore;
import io.github.ratelimit.store.ZoneUsage;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
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
 */
public final class LocalZone implements ZoneStore {

    private static final int SHARED_BUCKETS = 1024;
    private static final Step FULL = new Step(Step.Verdict.REFUSED_FULL, 0, 0, LocalStore.SWEEP_NANOS, 0);

    private final ConcurrentMap<RateLimitKey, Cell> cells =
            Caffeine.newBuilder().<RateLimitKey, Cell>build().asMap();
    private final AtomicInteger held = new AtomicInteger();
    private final LongAdder sharedDecisions = new LongAdder();
    private final Ticker ticker;
    private volatile int maxKeys;
    private volatile boolean shares;
    private volatile Cell @Nullable [] sharedCells;

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
            Cell cell = cells.get(key);
            if (cell == null) {
                cell = admitted(key, gcra);
            }
            Step step = cell == null ? newcomer(key, gcra, cost) : cell.acquire(gcra, cost, ticker);
            if (step != null) {
                return step;
            }
            if (cell != null) {
                remove(key, cell);
            }
        }
    }

    @Override
    public Step peek(RateLimitKey key, Algorithm algorithm, long cost) {
        Gcra gcra = gcra(algorithm);
        Cell cell = cells.get(key);
        Step step = cell == null ? null : cell.peek(gcra, cost, ticker);
        if (step != null) {
            return step;
        }
        boolean room = held.get() < maxKeys;
        if (!room && !shares) {
            return FULL;
        }
        Cell bucket = sharedCell(key);
        Cell source = bucket != null ? bucket : new Cell(gcra, gcra.full(ticker.read()));
        Step inherited = lasting(source.peek(gcra, cost, ticker));
        return room ? inherited : inherited.shared();
    }

    @Override
    public void refund(RateLimitKey key, Algorithm algorithm, long cost, Step drawn) {
        Gcra gcra = gcra(algorithm);
        Cell cell = cells.get(key);
        if (cell != null && cell.refund(gcra, cost, ticker)) {
            return;
        }
        // a key whose own state is gone is full; a bucket gets back only what came from it
        Cell bucket = sharedCell(key);
        if (bucket != null && drawn.verdict() == Step.Verdict.ADMITTED_SHARED) {
            bucket.refund(gcra, cost, ticker);
        }
    }

    @Override
    public void forget(RateLimitKey key) {
        Cell cell = cells.get(key);
        if (cell != null) {
            cell.die();
            remove(key, cell);
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
        for (Map.Entry<RateLimitKey, Cell> entry : cells.entrySet()) {
            if (entry.getValue().dieIfFull(now)) {
                remove(entry.getKey(), entry.getValue());
            }
        }
    }

    private void remove(RateLimitKey key, Cell cell) {
        if (cells.remove(key, cell)) {
            held.decrementAndGet();
        }
    }

    /** The cell of a newcomer, {@code null} when there is no room for it. */
    private @Nullable Cell admitted(RateLimitKey key, Gcra gcra) {
        if (!reserved()) {
            return null;
        }
        Cell before = sharedCell(key);
        long inherited = before == null ? 0 : before.state(gcra, ticker);
        long now = ticker.read();
        inherited = before == null ? gcra.full(now) : gcra.settled(inherited, now);
        Cell fresh = new Cell(gcra, inherited);
        Cell present = cells.putIfAbsent(key, fresh);
        if (present != null) {
            held.decrementAndGet();
            return present;
        }
        // what the key drew from its shared bucket while it moved out of it comes along too
        Cell bucket = sharedCell(key);
        long drawnMeanwhile = bucket == null ? 0 : bucket.state(gcra, ticker) - inherited;
        if (drawnMeanwhile > 0) {
            fresh.raise(gcra, drawnMeanwhile, ticker);
        }
        return fresh;
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
        Cell bucket = sharedCells(gcra)[bucket(key)];
        Step step = lasting(bucket.acquire(gcra, cost, ticker));
        if (step.admitted() && cells.containsKey(key)) {
            bucket.refund(gcra, cost, ticker);
            return null;
        }
        sharedDecisions.increment();
        return step.shared();
    }

    private @Nullable Cell sharedCell(RateLimitKey key) {
        Cell[] shared = sharedCells;
        return shared == null ? null : shared[bucket(key)];
    }

    private Cell[] sharedCells(Gcra gcra) {
        Cell[] shared = sharedCells;
        return shared != null ? shared : newSharedCells(gcra);
    }

    private synchronized Cell[] newSharedCells(Gcra gcra) {
        Cell[] shared = sharedCells;
        if (shared == null) {
            long full = gcra.full(ticker.read());
            shared = new Cell[SHARED_BUCKETS];
            Arrays.setAll(shared, i -> new Cell(gcra, full));
            sharedCells = shared;
        }
        return shared;
    }

    /** What a shared bucket says: it never dies. */
    private static Step lasting(@Nullable Step step) {
        return Objects.requireNonNull(step, "A shared bucket died");
    }

    private static int bucket(RateLimitKey key) {
        int hash = key.hashCode() * 0x9E3779B9;
        return hash >>> Integer.SIZE - Integer.numberOfTrailingZeros(SHARED_BUCKETS);
    }

    private static Gcra gcra(Algorithm algorithm) {
        return ((TokenBucket) algorithm).gcra();
    }
}
