package io.github.ratelimit.store.redis;

import io.github.ratelimit.fixture.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Stores for tests: at a server's own time, or at a time that stands still until it is told to move. */
final class Stores {

    static final String PREFIX = "ratelimit:test:";

    private Stores() {}

    static RedisStore at(RedisServer server) {
        return at(server.port(), Duration.ofSeconds(2));
    }

    static RedisStore at(int port, Duration timeout) {
        return started(idle(port, timeout));
    }

    /** A store that is not started. */
    static RedisStore idle(RedisServer server) {
        return idle(server.port(), Duration.ofSeconds(2));
    }

    private static RedisStore idle(int port, Duration timeout) {
        return new RedisStore(
                () -> endpoint(port, Script.decide()), new RedisSettings(PREFIX, timeout), new Denials(Denials.MOST));
    }

    /** A store whose server reads the time from a {@link Clock}; its keys live longer than that time knows. */
    static RedisStore timed(RedisServer server) {
        String source = new String(Script.decide().source(), StandardCharsets.UTF_8)
                .replace("call('TIME')", "{ call('HGET', 'clock', 's'), call('HGET', 'clock', 'us') }")
                .replace("'PX', lives[key])", "'PX', lives[key] + 1000000)");
        return started(new RedisStore(
                () -> endpoint(server.port(), Script.of(source.getBytes(StandardCharsets.UTF_8))),
                new RedisSettings(PREFIX, Duration.ofSeconds(5)),
                // it would go by a clock that moves
                new Denials(0)));
    }

    private static Endpoint endpoint(int port, Script script) {
        LettuceConnectionFactory factory =
                new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", port));
        return new LettuceEndpoint(ConnectionSettings.of(factory, null), script);
    }

    private static RedisStore started(RedisStore store) {
        store.start();
        return store;
    }

    /** The time of a server. */
    static final class Clock implements AutoCloseable {

        private final RedisClient client;
        private final RedisCommands<String, String> redis;
        private long micros = 200_000_000_000_000L;

        Clock(RedisServer server) {
            client = RedisClient.create(RedisURI.builder()
                    .withHost("127.0.0.1")
                    .withPort(server.port())
                    .build());
            redis = client.connect().sync();
            advance(0);
        }

        /** Microseconds since 2020. */
        long micros() {
            return micros;
        }

        void advance(long step) {
            micros += step;
            long whole = micros + Wire.EPOCH_SECONDS * 1_000_000;
            redis.hset("clock", Map.of("s", Long.toString(whole / 1_000_000), "us", Long.toString(whole % 1_000_000)));
        }

        RedisCommands<String, String> redis() {
            return redis;
        }

        @Override
        public void close() {
            client.shutdown(Duration.ZERO, Duration.ofMillis(100));
        }
    }
}
