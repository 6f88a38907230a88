package io.github.ratelimit.store.local;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.key.RateLimitKey;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * One of the buckets that newcomers to a full zone share.
 *
 * <p>Whoever draws from it, settles on it, or moves out of it with what it holds, holds its lock meanwhile: so no key draws from it
 * once it has a cell of its own, and its cell is alive.
 */
final class SharedBucket {

    private @Nullable Cell cell;

    /** Its state under this limit, {@code null} when it has none; call it under the lock of this bucket. */
    @Nullable
    Cell find(Algorithm algorithm, Ticker ticker) {
        Cell current = cell;
        if (current != null && current.algorithm() != algorithm) {
            current = RememberingCell.successor(current, algorithm, ticker);
            cell = current;
        }
        return current;
    }

    /** Its state under this limit; call it under the lock of this bucket. */
    Cell get(Algorithm algorithm, Ticker ticker) {
        Cell current = find(algorithm, ticker);
        if (current == null) {
            current = Cell.untouched(algorithm, ticker);
            cell = current;
        }
        return current;
    }

    /** Its state under whichever limit, under this one when it has none; call it under the lock of this bucket. */
    Cell getAsItIs(Algorithm algorithm, Ticker ticker) {
        Cell current = cell;
        return current != null ? current : get(algorithm, ticker);
    }

    /** The buckets of a zone, a fixed number; each is made when it is first wanted, and stays. */
    static final class Row {

        private static final int BITS = 10;

        private final AtomicReferenceArray<@Nullable SharedBucket> buckets = new AtomicReferenceArray<>(1 << BITS);

        /** The bucket of a key. */
        SharedBucket of(RateLimitKey key) {
            int number = key.hashCode() * 0x9E3779B9 >>> (Integer.SIZE - BITS);
            SharedBucket known = buckets.get(number);
            if (known != null) {
                return known;
            }
            SharedBucket made = new SharedBucket();
            SharedBucket first = buckets.compareAndExchange(number, null, made);
            return first != null ? first : made;
        }
    }
}
