package io.github.ratelimit.key;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is said of certain keys: the most specific pattern wins, a key of its own before any block, a longer prefix
 * before a shorter one.
 *
 * <p>Filled by one thread, then read by many; a look-up allocates nothing.
 *
 * @param <V> what is said of a key
 */
public final class KeyTable<V> {

    private final Map<RateLimitKey, V> keys = new HashMap<>();
    private @Nullable AddressTree<V> blocks;

    /** A table that says nothing yet. */
    public KeyTable() {}

    /** What is now said of a pattern; returns what was said of the same pattern before, {@code null} for nothing. */
    public @Nullable V put(KeyPattern pattern, V value) {
        RateLimitKey key = pattern.key();
        if (key != null) {
            return keys.put(key, value);
        }
        CidrBlock block = pattern.block();
        if (blocks == null) {
            blocks = new AddressTree<>();
        }
        return block == null ? null : blocks.put(block, value);
    }

    /** What is said of a key; {@code null} for nothing. */
    public @Nullable V find(RateLimitKey key) {
        V exact = keys.get(key);
        AddressTree<V> tree = blocks;
        return exact != null || tree == null || key.kind() != RateLimitKey.Kind.ADDRESS
                ? exact
                : tree.find(key.high(), key.low());
    }
}
