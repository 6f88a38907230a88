package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.policy.PolicyHolder;
import io.github.ratelimit.store.ChangeStore;
import io.github.ratelimit.store.local.LocalStore;
import io.github.ratelimit.store.redis.RedisBans;
import io.github.ratelimit.store.redis.RedisSettings;
import io.github.ratelimit.store.redis.RedisStore;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * The store of zones that instances share, where Spring Data Redis and Lettuce are present. It connects once a zone
 * needs it, or anything is limited and {@code ratelimit.redis.*} is set; changes of zones are kept there then, too. No bean of the application is replaced or changed.
 */
@AutoConfiguration(
        afterName = {
            "io.github.ratelimit.autoconfigure.RateLimitAutoConfiguration",
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration"
        })
@ConditionalOnClass(name = {RedisLibraries.CONNECTION_FACTORY, RedisLibraries.CLIENT})
@ConditionalOnBean(PolicyHolder.class)
public final class RateLimitRedisAutoConfiguration {

    @Bean(RateLimitAutoConfiguration.PREFIX + "redisStore")
    static RedisStore redisStore(RateLimitSetup setup) {
        RateLimitProperties.Redis redis = setup.properties().redis();
        return RedisStore.like(
                () -> setup.redisFactories().get(),
                redis.database(),
                new RedisSettings(setup.keyPrefix(), setup.redisTimeout()));
    }

    /** In this instance alone until the store is started. */
    @Bean(RateLimitAutoConfiguration.PREFIX + "redisChanges")
    @ConditionalOnMissingBean(ChangeStore.class)
    static ChangeStore redisChanges(RedisStore store) {
        return store.changes();
    }

    @Bean(RateLimitAutoConfiguration.PREFIX + "redisBans")
    static RedisBans redisBans(RedisStore store, LocalStore local) {
        return store.bans(local.bans());
    }

    @Bean(RateLimitAutoConfiguration.PREFIX + "redisStarter")
    static RedisStarter redisStarter(RedisStore store, PolicyHolder policies, RateLimitSetup setup) {
        return new RedisStarter(store, policies, setup.keyPrefix(), setup::isRedisWanted);
    }
}
