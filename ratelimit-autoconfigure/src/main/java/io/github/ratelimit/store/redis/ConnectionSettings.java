package io.github.ratelimit.store.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.WithAuthentication;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConverters;

/**
 * How the application connects to Redis, said for connections of our own: same servers, credentials and encryption, but
 * nothing is sent twice, and nothing waits for a connection.
 *
 * @param servers one, or the nodes of a cluster
 * @param cluster whether they are a cluster
 * @param options of the client
 */
record ConnectionSettings(List<RedisURI> servers, boolean cluster, ClientOptions options) {

    /** For opening a connection and for each step of doing so. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final Duration TOPOLOGY_REFRESH = Duration.ofSeconds(2);

    /**
     * The settings of a connection factory, which is only looked at.
     *
     * @param database index of the database, {@code null} for the factory's
     */
    static ConnectionSettings of(LettuceConnectionFactory factory, @Nullable Integer database) {
        LettuceClientConfiguration client = factory.getClientConfiguration();
        RedisClusterConfiguration cluster = factory.getClusterConfiguration();
        if (cluster != null) {
            List<RedisURI> nodes = new ArrayList<>();
            for (RedisNode node : cluster.getClusterNodes()) {
                RedisURI uri = RedisURI.create(Objects.requireNonNull(node.getHost()), node.getRequiredPort());
                nodes.add(secured(authenticated(uri, cluster, client), client));
            }
            return new ConnectionSettings(nodes, true, clusterOptions(client));
        }
        RedisURI server = secured(server(factory, client), client);
        server.setDatabase(database != null ? database : factory.getDatabase());
        return new ConnectionSettings(
                List.of(server), false, serverOptions(client).build());
    }

    private static RedisURI server(LettuceConnectionFactory factory, LettuceClientConfiguration client) {
        RedisSentinelConfiguration sentinel = factory.getSentinelConfiguration();
        if (sentinel != null) {
            RedisURI uri = LettuceConverters.sentinelConfigurationToRedisURI(sentinel);
            uri.getSentinels().forEach(each -> each.setTimeout(PATIENCE));
            return authenticated(uri, sentinel, client);
        }
        RedisSocketConfiguration socket = factory.getSocketConfiguration();
        if (socket != null) {
            return authenticated(RedisURI.Builder.socket(socket.getSocket()).build(), socket, client);
        }
        RedisStandaloneConfiguration standalone = factory.getStandaloneConfiguration();
        return authenticated(RedisURI.create(standalone.getHostName(), standalone.getPort()), standalone, client);
    }

    private static RedisURI authenticated(
            RedisURI uri, RedisConfiguration configuration, LettuceClientConfiguration client) {
        RedisCredentialsProvider provider = client.getRedisCredentialsProviderFactory()
                .map(factory -> factory.createCredentialsProvider(configuration))
                .orElse(null);
        if (provider != null) {
            uri.setCredentialsProvider(provider);
        } else if (configuration instanceof WithAuthentication known
                && known.getPassword().isPresent()) {
            uri.setCredentialsProvider(RedisCredentialsProvider.from(() -> RedisCredentials.just(
                    known.getUsername(), known.getPassword().get())));
        }
        return uri;
    }

    private static RedisURI secured(RedisURI uri, LettuceClientConfiguration client) {
        uri.setSsl(client.isUseSsl());
        uri.setVerifyPeer(client.getVerifyMode());
        uri.setStartTls(client.isStartTls());
        uri.setTimeout(PATIENCE);
        client.getClientName().ifPresent(uri::setClientName);
        return uri;
    }

    /** Lettuce's own reconnecting would send again what has got no answer: we open a new connection instead. */
    private static ClientOptions.Builder serverOptions(LettuceClientConfiguration client) {
        ClientOptions.Builder options = client.getClientOptions()
                .map(ClientOptions::mutate)
                .orElseGet(ClientOptions::builder)
                .autoReconnect(false)
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .replayFilter(command -> true)
                .timeoutOptions(TimeoutOptions.builder().build());
        SocketOptions socket =
                client.getClientOptions().map(ClientOptions::getSocketOptions).orElseGet(SocketOptions::create);
        return options.socketOptions(socket.mutate().connectTimeout(PATIENCE).build())
                .maintNotificationsConfig(MaintNotificationsConfig.disabled());
    }

    /** The nodes of a cluster come and go: their connections are opened again by Lettuce, but what was lost is not sent again. */
    private static ClusterClientOptions clusterOptions(LettuceClientConfiguration client) {
        ClusterClientOptions.Builder options =
                ClusterClientOptions.builder(serverOptions(client).build());
        options.autoReconnect(true);
        return options.topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                        .enableAllAdaptiveRefreshTriggers()
                        .adaptiveRefreshTriggersTimeout(Duration.ofMillis(500))
                        .enablePeriodicRefresh(TOPOLOGY_REFRESH)
                        .build())
                .build();
    }
}
