package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.policy.Policy;
import io.github.ratelimit.policy.PolicyHolder;
import io.github.ratelimit.store.redis.RedisStore;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;

/**
 * Starts the store as soon as a policy in force has a zone that is shared, or any zone where Redis is wanted for the
 * changes of them.
 */
final class RedisStarter implements DisposableBean {

    private static final Logger log = LoggerFactory.getLogger("io.github.ratelimit");
    /** What the prefix is where the application has no name. */
    private static final String NAMELESS = "ratelimit::";

    private final RedisStore store;
    private final String keyPrefix;
    private final BooleanSupplier wanted;
    private final Runnable unfollow;

    RedisStarter(RedisStore store, PolicyHolder policies, String keyPrefix, BooleanSupplier wanted) {
        this.store = store;
        this.keyPrefix = keyPrefix;
        this.wanted = wanted;
        this.unfollow = policies.onChange(this::follow);
    }

    private void follow(Policy policy) {
        if (needsRedis(policy)) {
            if (keyPrefix.equals(NAMELESS)) {
                log.warn("Neither spring.application.name nor ratelimit.redis.key-prefix is set:"
                        + " all applications without them that use this Redis share their quotas");
            }
            store.start();
        }
    }

    private boolean needsRedis(Policy policy) {
        return policy.zones().values().stream().anyMatch(zone -> zone.sharing() != null)
                || (!policy.zones().isEmpty() && wanted.getAsBoolean());
    }

    @Override
    public void destroy() {
        unfollow.run();
    }
}
