package io.github.ratelimit.store.redis;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Concurrency;
import io.github.ratelimit.algorithm.FixedWindow;
import io.github.ratelimit.algorithm.SlidingWindow;
import io.github.ratelimit.key.RateLimitKey;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Names keys: {@code prefix{who}:zone}. What is in braces is what a cluster shards by, so that all zones of one client
 * lie together; the mark behind it says of what kind the value is, and the zone comes last, so that no two names meet.
 */
final class RedisKeys {

    private static final char[] MARKS = {':', '#', '~'};
    private static final char SLOTS = '!';
    private static final char CONDUCT = '^';
    private static final byte[] HEX = "0123456789ABCDEF".getBytes(StandardCharsets.US_ASCII);
    /** A byte becomes three at most, and a text has 64 of them. */
    private static final int LONGEST = 3 * RateLimitKey.MAX_TEXT_BYTES;

    private final byte[] prefix;

    RedisKeys(String prefix) {
        this.prefix = prefix.getBytes(StandardCharsets.UTF_8);
    }

    /** Where the state of a key under a limit lies. */
    RedisKey of(String zone, RateLimitKey key, Algorithm algorithm) {
        return of(zone, key, mark(algorithm));
    }

    /** Where consumption of a key may lie, under whichever limit. */
    List<RedisKey> all(String zone, RateLimitKey key) {
        List<RedisKey> keys = new ArrayList<>(MARKS.length);
        for (char mark : MARKS) {
            keys.add(of(zone, key, mark));
        }
        return keys;
    }

    /** Where it lies how a key has behaved. */
    RedisKey ban(String zone, RateLimitKey key) {
        return of(zone, key, CONDUCT);
    }

    /** The name of something that belongs to no client. */
    String internal(String name) {
        return new String(prefix, StandardCharsets.UTF_8) + "{" + name + "}";
    }

    /** The key of something that belongs to no client. */
    RedisKey internalKey(String name) {
        return new RedisKey(internal(name).getBytes(StandardCharsets.UTF_8));
    }

    private RedisKey of(String zone, RateLimitKey key, char mark) {
        byte[] who = key.toString().getBytes(StandardCharsets.UTF_8);
        byte[] name = zone.getBytes(StandardCharsets.UTF_8);
        byte[] bytes = new byte[prefix.length + 5 + Math.min(3 * who.length, LONGEST) + name.length];
        System.arraycopy(prefix, 0, bytes, 0, prefix.length);
        int at = prefix.length;
        bytes[at++] = '{';
        bytes[at++] = (byte) kind(key);
        bytes[at++] = ':';
        for (byte b : who) {
            if (b > ' ' && b < 0x7f && b != '{' && b != '}' && b != '%') {
                bytes[at++] = b;
            } else {
                bytes[at++] = '%';
                bytes[at++] = HEX[b >> 4 & 0xf];
                bytes[at++] = HEX[b & 0xf];
            }
        }
        bytes[at++] = '}';
        bytes[at++] = (byte) mark;
        System.arraycopy(name, 0, bytes, at, name.length);
        return new RedisKey(at + name.length == bytes.length ? bytes : Arrays.copyOf(bytes, at + name.length));
    }

    private static char kind(RateLimitKey key) {
        return switch (key.kind()) {
            case ADDRESS -> 'a';
            case TEXT -> 't';
            case DIGEST -> 'd';
        };
    }

    private static char mark(Algorithm algorithm) {
        if (algorithm instanceof FixedWindow) {
            return MARKS[1];
        }
        if (algorithm instanceof SlidingWindow) {
            return MARKS[2];
        }
        return algorithm instanceof Concurrency ? SLOTS : MARKS[0];
    }
}
