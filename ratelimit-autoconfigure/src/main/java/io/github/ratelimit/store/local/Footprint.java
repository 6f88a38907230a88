package io.github.ratelimit.store.local;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Windowed;
import io.github.ratelimit.key.RateLimitKey;

/**
 * The heap that a key takes in a local zone, with everything that holds it: measured in a JVM of 64 bits whose
 * references are compressed, which is every one with a heap below 32 GB.
 *
 * <p>Think of nginx, where a key of {@code limit_req} takes a slot of 64, 128 or 256 bytes of a zone that cannot grow.
 */
public final class Footprint {

    /** A node and a half of a place in the map, the key, and a cell with one number. */
    private static final int KEY_AND_CELL = 114;
    /** A window has an object with four numbers instead of one. */
    private static final int WINDOW = 40;
    /** A string and its bytes, of the length above which a key is kept as a digest. */
    private static final int TEXT = 40 + RateLimitKey.MAX_TEXT_BYTES;

    private Footprint() {}

    /**
     * Bytes per key, at most.
     *
     * @param algorithm the zone's
     * @param text whether keys may be texts; addresses and digests are two numbers
     */
    public static long bytesPerKey(Algorithm algorithm, boolean text) {
        return KEY_AND_CELL + (algorithm instanceof Windowed ? WINDOW : 0) + (text ? TEXT : 0);
    }
}
