package io.github.ratelimit.store.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * How the application connects to Redis, said for connections of our own: same servers, credentials and encryption, but
 * nothing is sent twice, and nothing waits for a connection.
 *
 * @param topology what the servers are to each other
 * @param servers one, or several that are one cluster or copies of one another
 * @param options of the client
 * @param likeResources how the application's own client finds addresses and sets up channels, {@code null} for the usual way
 */
record ConnectionSettings(
        Topology topology,
        List<RedisURI> servers,
        ClientOptions options,
        @Nullable ClientResources likeResources) {

    /** For opening a connection and for each step of doing so. */
    static final Duration PATIENCE = Duration.ofSeconds(1);

    /** How often a cluster is asked for its nodes at least: limits have to be back soon after a node is. */
    private static final Duration TOPOLOGY_REFRESH = Duration.ofSeconds(2);

    /** What servers are to each other. */
    enum Topology {
        /** There is one, or Sentinel says which. */
        SERVER,
        /** They share the keys among them. */
        CLUSTER,
        /** One of them is the master of the others. */
        REPLICATED
    }

    /**
     * The settings of a connection factory, which is only looked at.
     *
     * @param database index of the database, {@code null} for the factory's; means nothing to a cluster
     */
    static ConnectionSettings of(LettuceConnectionFactory factory, @Nullable Integer database) {
        LettuceClientConfiguration client = factory.getClientConfiguration();
        ClientResources resources = client.getClientResources().orElse(null);
        ServerAddresses addresses = new ServerAddresses(client);
        RedisClusterConfiguration cluster = factory.getClusterConfiguration();
        if (cluster != null) {
            ClientOptions options = clusterOptions(client, cluster.getMaxRedirects());
            return new ConnectionSettings(Topology.CLUSTER, addresses.of(cluster), options, resources);
        }
        RedisStaticMasterReplicaConfiguration replicated = ReplicatedServers.of(factory);
        List<RedisURI> servers = replicated != null ? addresses.of(replicated) : List.of(addresses.ofServer(factory));
        int index = database != null ? database : factory.getDatabase();
        servers.forEach(server -> server.setDatabase(index));
        return new ConnectionSettings(
                replicated != null ? Topology.REPLICATED : Topology.SERVER,
                servers,
                serverOptions(client).build(),
                resources);
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
    private static ClusterClientOptions clusterOptions(
            LettuceClientConfiguration client, @Nullable Integer maxRedirects) {
        ClusterClientOptions.Builder options =
                ClusterClientOptions.builder(serverOptions(client).build());
        options.autoReconnect(true);
        if (maxRedirects != null) {
            options.maxRedirects(maxRedirects);
        }
        return options.topologyRefreshOptions(refreshOptions(
                        client.getClientOptions().orElse(null) instanceof ClusterClientOptions written
                                ? written.getTopologyRefreshOptions()
                                : null))
                .build();
    }

    /** As written, but no less often than the promise of a quick return needs. */
    private static ClusterTopologyRefreshOptions refreshOptions(@Nullable ClusterTopologyRefreshOptions written) {
        ClusterTopologyRefreshOptions.Builder options = ClusterTopologyRefreshOptions.builder()
                .enableAllAdaptiveRefreshTriggers()
                .adaptiveRefreshTriggersTimeout(Duration.ofMillis(500))
                .enablePeriodicRefresh(TOPOLOGY_REFRESH);
        if (written != null) {
            options.dynamicRefreshSources(written.useDynamicRefreshSources());
            if (written.isPeriodicRefreshEnabled() && written.getRefreshPeriod().compareTo(TOPOLOGY_REFRESH) < 0) {
                options.refreshPeriod(written.getRefreshPeriod());
            }
        }
        return options.build();
    }
}
