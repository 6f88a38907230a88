package io.github.ratelimit.store.redis;

import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Where Redis is. Opens connections; safe for use by many threads. */
interface Endpoint extends AutoCloseable {

    /** Opens a connection; fails within a second or so. */
    CompletionStage<Link> connect();

    /**
     * Opens a connection that listens.
     *
     * @param channel what it listens to
     * @param listener hears each message
     * @param lost runs once the connection is lost
     */
    CompletionStage<Void> listen(String channel, Consumer<byte[]> listener, Runnable lost);

    /** Closes all connections. */
    @Override
    void close();
}
