package io.github.ratelimit.store.redis;

import io.github.ratelimit.store.StoreUnavailableException;
import io.github.ratelimit.store.StoreUnavailableException.Kind;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Listens to which keys get something back, and which are banned or released, whichever instance does it; keeps trying while
 * it cannot.
 */
final class Refunds {

    private static final long LOOK_SECONDS = 1;
    /** Where it may not listen it asks again, but not often. */
    private static final int PATIENCE = 10;

    private final String channel;
    private final Denials denials;
    private final BanBook bans;
    private final Supplier<@Nullable Endpoint> endpoint;
    private final BooleanSupplier up;
    private final FailureLog log;
    private final ScheduledExecutorService executor;
    private boolean listening;
    private boolean opening;
    private int wait;

    Refunds(
            String channel,
            Denials denials,
            BanBook bans,
            Supplier<@Nullable Endpoint> endpoint,
            BooleanSupplier up,
            FailureLog log,
            ScheduledExecutorService executor) {
        this.channel = channel;
        this.denials = denials;
        this.bans = bans;
        this.endpoint = endpoint;
        this.up = up;
        this.log = log;
        this.executor = executor;
    }

    void start() {
        executor.scheduleWithFixedDelay(this::look, 0, LOOK_SECONDS, TimeUnit.SECONDS);
    }

    private synchronized void look() {
        Endpoint there = endpoint.get();
        if (listening || opening || wait-- > 0 || there == null || !up.getAsBoolean()) {
            return;
        }
        opening = true;
        there.listen(channel, this::heard, this::lost).whenComplete((done, failure) -> opened(failure));
    }

    private synchronized void opened(@Nullable Throwable failure) {
        opening = false;
        if (failure == null) {
            listening = true;
            denials.listening(System.nanoTime());
        } else {
            StoreUnavailableException reason = Failures.of(failure);
            wait = reason.kind() == Kind.FORBIDDEN ? PATIENCE : 0;
            log.tell(reason);
        }
    }

    private void heard(byte[] message) {
        RedisKey key = new RedisKey(message);
        denials.refunded(key, System.nanoTime());
        bans.heard(key);
    }

    private synchronized void lost() {
        denials.deaf();
        listening = false;
    }
}
