package io.github.ratelimit.store.redis;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The name of a key in Redis: bytes that are compared by their content. They are never changed. */
final class RedisKey {

    private final byte[] bytes;
    private final int hash;

    RedisKey(byte[] bytes) {
        this.bytes = bytes;
        this.hash = Arrays.hashCode(bytes);
    }

    byte[] bytes() {
        return bytes;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other || other instanceof RedisKey that && hash == that.hash && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
