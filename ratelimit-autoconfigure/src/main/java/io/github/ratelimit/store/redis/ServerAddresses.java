package io.github.ratelimit.store.redis;

import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.WithAuthentication;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConverters;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

/** Says where servers are, and how one makes oneself known to them, as Lettuce wants it said. */
final class ServerAddresses {

    private final LettuceClientConfiguration client;

    ServerAddresses(LettuceClientConfiguration client) {
        this.client = client;
    }

    /** The nodes of a cluster that were named; it knows the others. */
    List<RedisURI> of(RedisClusterConfiguration cluster) {
        List<RedisURI> nodes = new ArrayList<>();
        for (RedisNode node : cluster.getClusterNodes()) {
            nodes.add(known(RedisURI.create(Objects.requireNonNull(node.getHost()), node.getRequiredPort()), cluster));
        }
        return nodes;
    }

    /** A master and its replicas, in no order. */
    List<RedisURI> of(RedisStaticMasterReplicaConfiguration replicated) {
        List<RedisURI> nodes = new ArrayList<>();
        for (RedisStandaloneConfiguration node : replicated.getNodes()) {
            nodes.add(known(RedisURI.create(node.getHostName(), node.getPort()), replicated));
        }
        return nodes;
    }

    /** The one server of a factory that has neither of them. */
    RedisURI ofServer(LettuceConnectionFactory factory) {
        RedisSentinelConfiguration sentinel = factory.getSentinelConfiguration();
        if (sentinel != null) {
            return ofSentinel(sentinel);
        }
        RedisSocketConfiguration socket = factory.getSocketConfiguration();
        if (socket != null) {
            return known(RedisURI.Builder.socket(socket.getSocket()).build(), socket);
        }
        RedisStandaloneConfiguration server = factory.getStandaloneConfiguration();
        return known(RedisURI.create(server.getHostName(), server.getPort()), server);
    }

    /** Sentinels are spoken to as the servers are, with credentials of their own. */
    private RedisURI ofSentinel(RedisSentinelConfiguration sentinel) {
        RedisURI uri = LettuceConverters.sentinelConfigurationToRedisURI(sentinel);
        RedisCredentialsProvider provider = client.getRedisCredentialsProviderFactory()
                .map(factory -> factory.createSentinelCredentialsProvider(sentinel))
                .orElse(null);
        for (RedisURI each : uri.getSentinels()) {
            secure(each);
            if (provider != null) {
                each.setCredentialsProvider(provider);
            }
        }
        return known(uri, sentinel);
    }

    private RedisURI known(RedisURI uri, RedisConfiguration configuration) {
        RedisCredentialsProviderFactory providers =
                client.getRedisCredentialsProviderFactory().orElse(null);
        RedisCredentialsProvider provider =
                providers == null ? null : providers.createCredentialsProvider(configuration);
        if (provider != null) {
            uri.setCredentialsProvider(provider);
        } else if (configuration instanceof WithAuthentication known
                && known.getPassword().isPresent()) {
            uri.setCredentialsProvider(RedisCredentialsProvider.from(() -> RedisCredentials.just(
                    known.getUsername(), known.getPassword().get())));
        }
        secure(uri);
        return uri;
    }

    private void secure(RedisURI uri) {
        uri.setSsl(client.isUseSsl());
        uri.setVerifyPeer(client.getVerifyMode());
        uri.setStartTls(client.isStartTls());
        uri.setTimeout(ConnectionSettings.PATIENCE);
        client.getClientName().ifPresent(uri::setClientName);
    }
}
