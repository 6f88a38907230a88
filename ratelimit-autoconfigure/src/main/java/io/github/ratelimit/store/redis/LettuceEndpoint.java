package io.github.ratelimit.store.redis;

import io.github.ratelimit.store.redis.ConnectionSettings.Topology;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateAdapter;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Connects by Lettuce, with a client and threads of our own. */
final class LettuceEndpoint implements Endpoint {

    private static final int THREADS = 2;

    private final ConnectionSettings settings;
    private final Script script;
    private final ClientResources resources;
    private final AbstractRedisClient client;
    private final @Nullable MasterSearch search;
    private volatile boolean closed;

    LettuceEndpoint(ConnectionSettings settings, Script script) {
        this.script = script;
        this.settings = settings;
        this.resources = resources(settings.likeResources());
        this.client = settings.topology() == Topology.CLUSTER ? clusterClient() : serverClient();
        this.search = settings.topology() == Topology.REPLICATED
                ? new MasterSearch((RedisClient) client, settings.servers())
                : null;
    }

    /** Threads are never shared; what the application's own client knows about the way to a server is used, too. */
    private static ClientResources resources(@Nullable ClientResources like) {
        ClientResources.Builder own = ClientResources.builder()
                .ioThreadPoolSize(THREADS)
                .computationThreadPoolSize(THREADS)
                .reconnectDelay(Delay.constant(Duration.ofMillis(200)));
        if (like != null) {
            own.socketAddressResolver(like.socketAddressResolver())
                    .addressResolverGroup(like.addressResolverGroup())
                    .nettyCustomizer(like.nettyCustomizer());
        }
        return own.build();
    }

    private RedisClient serverClient() {
        RedisClient server = RedisClient.create(resources);
        server.setOptions(settings.options());
        return server;
    }

    private RedisClusterClient clusterClient() {
        RedisClusterClient cluster = RedisClusterClient.create(resources, settings.servers());
        cluster.setOptions((ClusterClientOptions) settings.options());
        return cluster;
    }

    @Override
    public CompletionStage<Link> connect() {
        if (client instanceof RedisClusterClient cluster) {
            return cluster.refreshPartitionsAsync()
                    .thenCompose(done -> cluster.connectAsync(ByteArrayCodec.INSTANCE))
                    .thenApply(connection -> new LettuceLink(connection, script));
        }
        CompletionStage<StatefulRedisConnection<byte[], byte[]>> opening = search != null
                ? search.connect()
                : ((RedisClient) client)
                        .connectAsync(
                                ByteArrayCodec.INSTANCE, settings.servers().get(0));
        return opening.thenApply(connection -> new LettuceLink(connection, script));
    }

    @Override
    public CompletionStage<Void> listen(String channel, Consumer<byte[]> listener, Runnable lost) {
        CompletionStage<? extends StatefulRedisPubSubConnection<byte[], byte[]>> opening =
                client instanceof RedisClusterClient cluster
                        ? cluster.connectPubSubAsync(ByteArrayCodec.INSTANCE)
                        : ((RedisClient) client)
                                .connectPubSubAsync(
                                        ByteArrayCodec.INSTANCE,
                                        search != null
                                                ? search.found()
                                                : settings.servers().get(0));
        return opening.thenCompose(connection -> {
            connection.addListener(new RedisPubSubAdapter<byte[], byte[]>() {
                @Override
                public void message(byte[] from, byte[] message) {
                    listener.accept(message);
                }
            });
            connection.addListener((RedisConnectionStateListener) new RedisConnectionStateAdapter() {
                @Override
                public void onRedisDisconnected(RedisChannelHandler<?, ?> gone) {
                    lost.run();
                    hangUp(connection);
                }
            });
            return connection
                    .async()
                    .subscribe(channel.getBytes(StandardCharsets.UTF_8))
                    .whenComplete((done, failure) -> {
                        if (failure != null) {
                            hangUp(connection);
                        }
                    });
        });
    }

    private void hangUp(StatefulRedisPubSubConnection<?, ?> connection) {
        if (!closed) {
            connection.closeAsync();
        }
    }

    @Override
    public void close() {
        closed = true;
        client.shutdownAsync(0, 1, TimeUnit.SECONDS)
                .whenComplete((done, failure) -> resources.shutdown(0, 1, TimeUnit.SECONDS));
    }
}
