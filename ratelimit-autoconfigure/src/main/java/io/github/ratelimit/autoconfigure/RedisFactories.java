package io.github.ratelimit.autoconfigure;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Finds the connection factory of the application whose Redis is used. Loaded only where the libraries are there. */
final class RedisFactories {

    private static final String PROPERTY = "ratelimit.redis.connection-factory";

    private final BeanFactory beans;
    private final @Nullable String name;
    private final @Nullable Integer database;

    /**
     * A search.
     *
     * @param name of the bean, {@code null} or blank where there is only one
     * @param database index of the database that was asked for, {@code null} for the factory's
     */
    RedisFactories(BeanFactory beans, @Nullable String name, @Nullable Integer database) {
        this.beans = beans;
        this.name = name == null || name.isBlank() ? null : name;
        this.database = database;
    }

    /** Why there is none to use, as a sentence that follows a zone's store; {@code null} when there is. */
    @Nullable
    String fault() {
        String absent = absence();
        if (absent != null || database == null || database == 0) {
            return absent;
        }
        return get().isClusterAware()
                ? "is a cluster, whose only database is 0; remove ratelimit.redis.database"
                : null;
    }

    private @Nullable String absence() {
        if (name != null) {
            if (!beans.containsBean(name)) {
                return "needs the bean '" + name + "' of " + PROPERTY + ", which does not exist; write the name of a"
                        + " LettuceConnectionFactory";
            }
            return beans.isTypeMatch(name, LettuceConnectionFactory.class)
                    ? null
                    : "needs a LettuceConnectionFactory, which the bean '" + name + "' of " + PROPERTY + " is not";
        }
        if (found() != null) {
            return null;
        }
        String[] names = ((ListableBeanFactory) beans).getBeanNamesForType(RedisConnectionFactory.class, true, false);
        return names.length > 1
                ? "could be any of the connection factories " + String.join(", ", names) + "; write " + PROPERTY
                : "needs a LettuceConnectionFactory; set spring.data.redis.* (and no client-type but lettuce), or define one";
    }

    /** The factory; there must be no {@link #fault()}. */
    LettuceConnectionFactory get() {
        return name != null
                ? beans.getBean(name, LettuceConnectionFactory.class)
                : Objects.requireNonNull(found(), "no LettuceConnectionFactory");
    }

    private @Nullable LettuceConnectionFactory found() {
        return beans.getBeanProvider(RedisConnectionFactory.class).getIfUnique()
                        instanceof LettuceConnectionFactory lettuce
                ? lettuce
                : null;
    }
}
