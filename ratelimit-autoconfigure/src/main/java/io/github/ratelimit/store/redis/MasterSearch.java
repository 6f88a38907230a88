package io.github.ratelimit.store.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * Finds out which of several servers is the master: connects to all at once, and keeps the connection to the first that
 * says it is. Looks anew each time, as another may have become it. Safe for use by many threads.
 */
final class MasterSearch {

    private static final String MASTER = "master";

    private final RedisClient client;
    private final List<RedisURI> servers;
    private volatile RedisURI found;

    MasterSearch(RedisClient client, List<RedisURI> servers) {
        this.client = client;
        this.servers = servers;
        this.found = servers.get(0);
    }

    /** The server that was the master when one was last found. */
    RedisURI found() {
        return found;
    }

    /** A connection to the master; fails when no server says that it is. */
    CompletionStage<StatefulRedisConnection<byte[], byte[]>> connect() {
        CompletableFuture<StatefulRedisConnection<byte[], byte[]>> master = new CompletableFuture<>();
        CompletableFuture<?>[] attempts = servers.stream()
                .map(server -> client.connectAsync(ByteArrayCodec.INSTANCE, server)
                        .thenCompose(connection -> offer(connection, server, master))
                        .toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new);
        CompletableFuture.allOf(attempts)
                .whenComplete((all, failure) -> master.completeExceptionally(
                        failure != null ? failure : new RedisConnectionException("None of the nodes is a master")));
        return master;
    }

    /** Keeps a connection if it leads to the first master, else closes it. */
    private CompletionStage<?> offer(
            StatefulRedisConnection<byte[], byte[]> connection,
            RedisURI server,
            CompletableFuture<StatefulRedisConnection<byte[], byte[]>> master) {
        return connection
                .async()
                .role()
                .toCompletableFuture()
                .orTimeout(ConnectionSettings.PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                .handle((role, failure) -> {
                    if (failure == null && isMaster(role) && master.complete(connection)) {
                        found = server;
                    } else {
                        connection.closeAsync();
                    }
                    if (failure != null) {
                        throw new CompletionException(failure);
                    }
                    return role;
                });
    }

    private static boolean isMaster(List<Object> role) {
        return !role.isEmpty()
                && role.get(0) instanceof byte[] name
                && MASTER.equals(new String(name, StandardCharsets.US_ASCII));
    }
}
