package io.github.ratelimit.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who gives permits back is heard of as soon as the channel can be listened to. */
class RefundsTests {

    private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();

    @AfterEach
    void stop() {
        executor.shutdownNow();
    }

    @Test
    void startWhenTheChannelCannotBeOpenedAtFirstThenItIsTriedAgainWithinSeconds() {
        Deaf endpoint = new Deaf(new RedisException("Currently not connected. Commands are rejected."));
        start(endpoint);
        await().atMost(Duration.ofSeconds(5)).until(() -> endpoint.attempts.get() >= 3);
    }

    @Test
    void startWhenTheChannelIsForbiddenThenItIsNotAskedForAgainEachSecond() {
        Deaf endpoint = new Deaf(new RedisCommandExecutionException("NOPERM No permissions to access a channel"));
        start(endpoint);
        await().during(Duration.ofSeconds(3)).atMost(Duration.ofSeconds(4)).until(() -> endpoint.attempts.get() <= 1);
        assertThat(endpoint.attempts).hasValue(1);
    }

    private void start(Endpoint endpoint) {
        FailureLog log = new FailureLog();
        Watch watch = new Watch(() -> endpoint, new NoProbe(), log, executor);
        BanBook bans = new BanBook(new BanScript("channel"), watch, since -> false, log);
        new Refunds("channel", new Denials(10), bans, () -> endpoint, () -> true, log, executor).start();
    }

    private static final class NoProbe implements Watch.Probe {

        @Override
        public boolean isStuck() {
            return false;
        }

        @Override
        public CompletionStage<?> decide(Link link) {
            return CompletableFuture.completedFuture(null);
        }
    }

    /** Fails whenever it is to listen. */
    private static final class Deaf implements Endpoint {

        private final AtomicInteger attempts = new AtomicInteger();
        private final RuntimeException reason;

        Deaf(RuntimeException reason) {
            this.reason = reason;
        }

        @Override
        public CompletionStage<Link> connect() {
            return CompletableFuture.failedFuture(reason);
        }

        @Override
        public CompletionStage<Void> listen(String channel, Consumer<byte[]> listener, Runnable lost) {
            attempts.incrementAndGet();
            return CompletableFuture.failedFuture(reason);
        }

        @Override
        public void close() {}
    }
}
