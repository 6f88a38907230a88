package io.github.ratelimit.store.redis;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** An open connection to Redis, to one server or to a cluster of them. Safe for use by many threads. */
interface Link extends AutoCloseable {

    /**
     * Runs the script that decides once; nothing is ever sent a second time, except to a server that has said that it does not know
     * the script.
     *
     * @param keys all in one lane
     */
    CompletionStage<byte[]> run(byte[][] keys, byte[][] arguments);

    /** All fields of a hash; none where there is no such hash. */
    CompletionStage<Map<byte[], byte[]>> fields(RedisKey hash);

    /** Sets a field of a hash, which lives on for so long. */
    CompletionStage<?> put(RedisKey hash, byte[] field, byte[] value, Duration life);

    /** Sets a field of a hash that does not have it, and lives on for so long. */
    CompletionStage<?> offer(RedisKey hash, byte[] field, byte[] value, Duration life);

    /** For how many milliseconds a key lives on, negative where it lives for ever or does not exist. */
    CompletionStage<Long> life(RedisKey key);

    /** Lets a key live on for so long. */
    CompletionStage<?> prolong(RedisKey key, Duration life);

    /** Runs another script in the same way. What is run later is answered later, where the keys are in one lane. */
    CompletionStage<byte[]> run(Script which, byte[][] keys, byte[][] arguments);

    /** What keys must have in common to be decided together: their slot in a cluster. */
    int lane(RedisKey key);

    /** Whether it may still be used. */
    boolean isOpen();

    /** Closes it without waiting; whatever is on its way fails. */
    @Override
    void close();
}
