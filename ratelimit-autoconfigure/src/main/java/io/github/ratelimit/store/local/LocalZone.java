package io.github.ratelimit.store.local;

import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Concurrency;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.store.ZoneStore;
import io.github.ratelimit.store.ZoneUsage;
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
 *
 * <p>No lock is taken to draw from a known key. A key that is met under another limit than before changes its cell under the lock of
 * one bin of the map; a newcomer gets its cell or draws from its bucket under the lock of that bucket.
 */
public final class LocalZone implements ZoneStore {

    private final ConcurrentMap<RateLimitKey, Cell> cells;
    private final SharedBucket.Row buckets = new SharedBucket.Row();
    private final Outlook outlook;
    /** Keys held, and places that are reserved for keys on their way in. */
    private final AtomicInteger held = new AtomicInteger();

    private final LongAdder sharedDecisions = new LongAdder();
    private final Ticker ticker;
    private volatile int maxKeys;
    private volatile boolean shares;

    LocalZone(int maxKeys, boolean shares, Ticker ticker) {
        this(
                maxKeys,
                shares,
                ticker,
                Caffeine.newBuilder().<RateLimitKey, Cell>build().asMap());
    }

    /**
     * A zone over this map.
     *
     * @param cells empty, and used by nobody else; walked by {@link #sweep}, and by the first who is refused for want of room
     */
    LocalZone(int maxKeys, boolean shares, Ticker ticker, ConcurrentMap<RateLimitKey, Cell> cells) {
        this.cells = cells;
        this.outlook = new Outlook(cells);
        this.maxKeys = maxKeys;
        this.shares = shares;
        this.ticker = ticker;
    }

    void configure(int maxKeys, boolean shares) {
        this.maxKeys = maxKeys;
        this.shares = shares;
    }

    @Override
    public Step acquire(RateLimitKey key, Algorithm algorithm, long cost, Step into) {
        while (true) {
            Cell cell = find(key, algorithm);
            if (cell != null) {
                Step step = cell.acquire(cost, ticker, into);
                if (step != null) {
                    return step;
                }
                remove(key, cell);
            } else if (isFull() || !entered(key, algorithm)) {
                Step step = newcomer(key, algorithm, cost, into);
                if (step != null) {
                    return step;
                }
            }
        }
    }

    @Override
    public Step peek(RateLimitKey key, Algorithm algorithm, long cost) {
        for (Cell cell = find(key, algorithm); cell != null; cell = find(key, algorithm)) {
            Step step = cell.peek(cost, ticker);
            if (step != null) {
                return step;
            }
            remove(key, cell);
        }
        boolean full = isFull();
        SharedBucket bucket = buckets.of(key);
        synchronized (bucket) {
            Cell cell = bucket.find(algorithm, ticker);
            boolean shared = full || (cell != null && cell.departure(ticker) == null);
            if (shared && !shares) {
                return full(new Step());
            }
            Cell looked = cell != null ? cell : Cell.untouched(algorithm, ticker);
            Step step = alive(looked.peek(cost, ticker));
            return shared ? step.shared() : step;
        }
    }

    @Override
    public void charge(RateLimitKey key, Algorithm algorithm, long cost, Step drawn) {
        Change change = cell -> cell.charge(cost, ticker);
        while (!onOwnCell(key, algorithm, drawn, change)) {
            // a key whose state has run out since is made known again by its debt
            if (wasShared(drawn) || !entered(key, algorithm)) {
                onBucket(key, algorithm, change);
                return;
            }
        }
    }

    @Override
    public void refund(RateLimitKey key, Algorithm algorithm, long cost, Step drawn) {
        // a key whose own state is gone is full; a bucket gets back only what came from it
        if (!onOwnCell(key, algorithm, drawn, cell -> cell.refund(cost, ticker)) && wasShared(drawn)) {
            onBucket(key, algorithm, bucket -> bucket.refund(cost, ticker));
        }
    }

    @Override
    public void forget(RateLimitKey key) {
        cells.computeIfPresent(key, (same, cell) -> {
            if (!cell.die()) {
                return cell;
            }
            held.decrementAndGet();
            return null;
        });
    }

    @Override
    public ZoneUsage usage() {
        int keys = held.get();
        int max = maxKeys;
        return new ZoneUsage(keys, max, sharedDecisions.sum(), keys >= max);
    }

    /** There is no room; the wait is one that helps. */
    private Step full(Step into) {
        return into.full(outlook.waitNanos(ticker));
    }

    private boolean isFull() {
        return held.get() >= maxKeys;
    }

    /** Drops the keys whose state carries no information, and what need not be remembered of earlier limits. */
    void sweep() {
        cells.forEach((key, cell) -> {
            if (cell.dieIfUntouched(ticker)) {
                remove(key, cell);
                return;
            }
            Cell rest = cell instanceof RememberingCell two ? two.rest(ticker) : null;
            if (rest != null) {
                cells.replace(key, cell, rest);
            }
        });
        if (!shares && isFull()) {
            outlook.look(ticker);
        } else {
            outlook.forget();
        }
    }

    /** The cell under this limit, {@code null} when there is none; it may die at any moment. */
    private @Nullable Cell find(RateLimitKey key, Algorithm algorithm) {
        Cell cell = cells.get(key);
        return cell == null || cell.algorithm() == algorithm
                ? cell
                : cells.computeIfPresent(
                        key,
                        (same, other) -> other.algorithm() == algorithm
                                ? other
                                : RememberingCell.successor(other, algorithm, ticker));
    }

    /** Takes a dead cell out; another one of the same key stays. */
    private void remove(RateLimitKey key, Cell cell) {
        if (cells.remove(key, cell)) {
            held.decrementAndGet();
        }
    }

    /**
     * Gives a newcomer a cell of its own, with what its shared bucket has drawn; nobody draws from the bucket meanwhile.
     * False when there is no room for it, or when it may not leave its bucket.
     */
    private boolean entered(RateLimitKey key, Algorithm algorithm) {
        SharedBucket bucket = buckets.of(key);
        synchronized (bucket) {
            Cell shared = bucket.find(algorithm, ticker);
            Cell cell = shared == null ? Cell.untouched(algorithm, ticker) : shared.departure(ticker);
            return (cell != null && put(key, cell)) || cells.containsKey(key);
        }
    }

    private boolean put(RateLimitKey key, Cell cell) {
        if (!reserved()) {
            return false;
        }
        if (cells.putIfAbsent(key, cell) != null) {
            held.decrementAndGet();
            return false;
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
    private @Nullable Step newcomer(RateLimitKey key, Algorithm algorithm, long cost, Step into) {
        if (!shares) {
            return cells.containsKey(key) ? null : full(into);
        }
        SharedBucket bucket = buckets.of(key);
        Step step;
        synchronized (bucket) {
            if (cells.containsKey(key)) {
                return null;
            }
            step = alive(bucket.get(algorithm, ticker).acquire(cost, ticker, into));
        }
        sharedDecisions.increment();
        return step.shared(into);
    }

    /** What a shared bucket says: it never dies. */
    private static Step alive(@Nullable Step step) {
        return Objects.requireNonNull(step, "a shared bucket does not die");
    }

    /** Settles on the key's own cell; false when there is none. */
    private boolean onOwnCell(RateLimitKey key, Algorithm algorithm, Step drawn, Change change) {
        // what occupies a bucket has to leave it again; other consumption moves out of it together with its key
        if (wasShared(drawn) && algorithm instanceof Concurrency) {
            return false;
        }
        for (Cell cell = cells.get(key); cell != null; cell = cells.get(key)) {
            if (!cell.counts(algorithm) || change.on(cell)) {
                return true;
            }
            remove(key, cell);
        }
        return false;
    }

    /** Settles on the key's shared bucket. */
    private void onBucket(RateLimitKey key, Algorithm algorithm, Change change) {
        SharedBucket bucket = buckets.of(key);
        synchronized (bucket) {
            Cell cell = bucket.getAsItIs(algorithm, ticker);
            if (cell.counts(algorithm)) {
                change.on(cell);
            }
        }
    }

    private static boolean wasShared(Step drawn) {
        return drawn.verdict() == Step.Verdict.ADMITTED_SHARED;
    }

    /** A settlement; false when the cell is dead. */
    private interface Change {

        boolean on(Cell cell);
    }
}
