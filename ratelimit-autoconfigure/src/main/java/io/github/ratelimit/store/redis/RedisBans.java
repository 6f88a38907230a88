package io.github.ratelimit.store.redis;

import io.github.ratelimit.algorithm.Penalty;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.store.Bans;
import io.github.ratelimit.store.redis.BanScript.Found;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The bans that all instances share. While Redis is away, those that are known stay in force until they end, and refusals
 * count in this instance; the bans to which those lead end when Redis is back.
 */
public final class RedisBans implements Bans {

    /** Bans of which nobody has been told yet; beyond, they hold all the same. */
    private static final int UNTOLD = 10_000;

    private final BanBook book;
    private final RedisKeys keys;
    private final long budgetNanos;
    private final Bans standIn;
    private final Executor teller = teller();

    RedisBans(BanBook book, RedisKeys keys, long budgetNanos, Bans standIn) {
        this.book = book;
        this.keys = keys;
        this.budgetNanos = budgetNanos;
        this.standIn = standIn;
    }

    /** One thread, while there is something to tell: a listener that is slow must not hold up the connection. */
    private static Executor teller() {
        return new ThreadPoolExecutor(
                0,
                1,
                1,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(UNTOLD),
                task -> {
                    Thread thread = new Thread(task, "ratelimit-bans");
                    thread.setDaemon(true);
                    return thread;
                },
                new ThreadPoolExecutor.DiscardPolicy());
    }

    @Override
    public @Nullable Ban find(String zone, RateLimitKey key) {
        Ban ban = book.find(keys.ban(zone, key));
        return ban != null || book.isOpen() ? ban : standIn.find(zone, key);
    }

    /**
     * {@inheritDoc} What is kept in mind leaves Redis with time; {@code maxKeys} bounds the stand-in alone. Redis counts and is
     * not waited for: the ban that a refusal leads to is known at once only while Redis is away.
     */
    @Override
    public @Nullable Ban strike(String zone, RateLimitKey key, Penalty penalty, int maxKeys, Consumer<Ban> onBan) {
        Consumer<Ban> told = ban -> teller.execute(() -> onBan.accept(ban));
        if (!book.isOpen()) {
            return standIn.strike(zone, key, penalty, maxKeys, told);
        }
        book.strike(keys.ban(zone, key), penalty).whenComplete((found, failure) -> {
            if (failure != null) {
                standIn.strike(zone, key, penalty, maxKeys, told);
                return;
            }
            Ban ban = found.ban();
            if (ban != null && found.imposed()) {
                told.accept(ban);
            }
        });
        return null;
    }

    @Override
    public Standing standing(String zone, RateLimitKey key, Penalty penalty) {
        if (book.isOpen()) {
            try {
                Found found = book.look(keys.ban(zone, key), penalty.withinNanos())
                        .toCompletableFuture()
                        .get(budgetNanos, TimeUnit.NANOSECONDS);
                return new Standing(found.strikes(), found.ban());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (ExecutionException | TimeoutException e) {
                // counted where it happened; what is known here has to do
            }
        }
        Standing here = standIn.standing(zone, key, penalty);
        Ban known = find(zone, key);
        return known == null ? here : new Standing(here.strikes(), known);
    }

    @Override
    public void lift(String zone, RateLimitKey key) {
        book.lift(keys.ban(zone, key));
        standIn.lift(zone, key);
    }
}
