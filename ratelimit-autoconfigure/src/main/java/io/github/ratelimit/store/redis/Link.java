package io.github.ratelimit.store.redis;

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
