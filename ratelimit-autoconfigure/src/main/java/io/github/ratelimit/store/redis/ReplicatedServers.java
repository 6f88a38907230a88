package io.github.ratelimit.store.redis;

import java.lang.reflect.Field;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the master and replicas of a connection factory.
 *
 * <p>Unlike any other configuration, a factory keeps this one to itself, and names {@code localhost} when it is asked for its
 * server: whoever believed that would decide in a Redis that nobody has named. So its field is read.
 */
final class ReplicatedServers {

    /** Of {@link LettuceConnectionFactory}. */
    static final String FIELD = "configuration";

    private ReplicatedServers() {}

    /** The servers; {@code null} where the factory has other ones. */
    static @Nullable RedisStaticMasterReplicaConfiguration of(LettuceConnectionFactory factory) {
        Field field = ReflectionUtils.findField(LettuceConnectionFactory.class, FIELD, RedisConfiguration.class);
        if (field == null) {
            return null;
        }
        ReflectionUtils.makeAccessible(field);
        return ReflectionUtils.getField(field, factory) instanceof RedisStaticMasterReplicaConfiguration replicated
                ? replicated
                : null;
    }
}
