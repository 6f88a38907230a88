package io.github.ratelimit.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** The libraries without which nothing can be shared. Loads none of them. */
final class RedisLibraries {

    static final String CONNECTION_FACTORY =
            "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory";
    static final String CLIENT = "io.lettuce.core.RedisClient";

    /** What is wrong without them, as a sentence that follows what needs them. */
    static final String MISSING =
            "needs Spring Data Redis and Lettuce on the class path; add spring-boot-starter-data-redis";

    private RedisLibraries() {}

    static boolean present(@Nullable ClassLoader classLoader) {
        return ClassUtils.isPresent(CONNECTION_FACTORY, classLoader) && ClassUtils.isPresent(CLIENT, classLoader);
    }
}
