package io.github.ratelimit.store.redis;

import io.github.ratelimit.algorithm.Concurrency;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.algorithm.TokenBucket;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.store.Demand;
import io.github.ratelimit.store.Reply;
import io.github.ratelimit.store.SharedStore;
import io.github.ratelimit.store.StoreMonitor;
import io.github.ratelimit.store.StoreStatus;
import io.github.ratelimit.store.StoreUnavailableException;
import io.github.ratelimit.store.redis.Call.Operation;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * State that all instances share in Redis, decided there by one script in one trip, by the clock of the server.
 *
 * <p>Connects only once it is {@link #start() started}. Safe for use by many threads; none of them ever waits in a monitor,
 * or longer than the settings allow.
 */
public final class RedisStore implements SharedStore, StoreMonitor, AutoCloseable {

    private static final Duration FIRST_CONNECT = Duration.ofSeconds(1);
    private static final Duration SETTLE_WITHIN = Duration.ofSeconds(1);
    /** An answer that takes longer, and longer than two budgets, is not waited for: the connection is given up. */
    private static final Duration LEAST_PATIENCE = Duration.ofMillis(300);

    private static final int THREADS = 2;

    private final long budgetNanos;
    private final RedisKeys keys;
    private final FailureLog failures = new FailureLog();
    private final ScheduledExecutorService executor;
    private final Watch watch;
    private final Traveller traveller;
    private final Occupancy occupancy;
    private final AtomicBoolean started = new AtomicBoolean();
    private final List<AnswerListener> listeners = new CopyOnWriteArrayList<>();

    /**
     * A store that connects as a factory of the application would, which is only looked at.
     *
     * @param factory gives it when the store is started
     * @param database index of the database, {@code null} for the factory's
     */
    public static RedisStore like(
            Supplier<LettuceConnectionFactory> factory, @Nullable Integer database, RedisSettings settings) {
        return new RedisStore(
                () -> new LettuceEndpoint(ConnectionSettings.of(factory.get(), database), Script.decide()), settings);
    }

    RedisStore(Supplier<Endpoint> endpoint, RedisSettings settings) {
        this.budgetNanos = settings.timeout().toNanos();
        this.keys = new RedisKeys(settings.keyPrefix());
        this.executor = executor();
        byte[] instance = new byte[8];
        new SecureRandom().nextBytes(instance);
        this.traveller = new Traveller(instance, keys.internal("refunds"));
        this.watch = new Watch(endpoint, new Trial(), failures, executor);
        this.traveller.follow(watch);
        this.occupancy = new Occupancy(traveller, executor);
    }

    private static ScheduledExecutorService executor() {
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(THREADS, task -> {
            Thread thread = new Thread(task, "ratelimit-redis");
            thread.setDaemon(true);
            return thread;
        });
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        executor.setContinueExistingPeriodicTasksAfterShutdownPolicy(false);
        return executor;
    }

    /** Connects, and waits a second at most for the outcome; without Redis it goes on looking for it. Does so once. */
    public void start() {
        if (started.compareAndSet(false, true)) {
            watch.start();
            occupancy.start();
            watch.awaitFirstLook(FIRST_CONNECT);
        }
    }

    @Override
    public List<Reply> acquire(List<Demand> demands) {
        List<Wish> wishes = new ArrayList<>(demands.size());
        for (Demand demand : demands) {
            long lease = demand.algorithm() instanceof Concurrency ? occupancy.nextLease() : 0;
            wishes.add(new Wish(demand, key(demand), demand.cost(), lease));
        }
        List<Answer> answers = ask(Operation.ACQUIRE, wishes);
        List<Reply> replies = new ArrayList<>(answers.size());
        boolean refused = false;
        for (int i = 0; i < answers.size(); i++) {
            refused |= demands.get(i).enforced() && !answers.get(i).step().admitted();
        }
        for (int i = 0; i < answers.size(); i++) {
            Wish wish = wishes.get(i);
            Answer answer = answers.get(i);
            boolean taken = !refused && answer.step().admitted() && wish.isSlot();
            replies.add(new Reply(answer.step(), true, taken ? occupancy.taken(wish) : null));
        }
        return replies;
    }

    @Override
    public List<Reply> peek(List<Demand> demands) {
        List<Wish> wishes = demands.stream()
                .map(demand -> new Wish(demand, key(demand), demand.cost(), 0))
                .toList();
        return ask(Operation.PEEK, wishes).stream()
                .map(answer -> new Reply(answer.step(), true, null))
                .toList();
    }

    @Override
    public void charge(Demand demand, Reply drawn) {
        settle(Operation.CHARGE, demand);
    }

    @Override
    public void refund(Demand demand, Reply drawn) {
        if (drawn.receipt() instanceof Occupancy.Stay stay) {
            occupancy.released(stay);
        } else if (!(demand.algorithm() instanceof Concurrency)) {
            settle(Operation.REFUND, demand);
        }
    }

    @Override
    public void forget(String zone, RateLimitKey key) {
        Demand any = new Demand(zone, key, TokenBucket.of(new Rate(1, 1_000_000_000L, "1/s"), 1), 1, true, 1);
        List<Wish> wishes = keys.all(zone, key).stream()
                .map(each -> new Wish(any, each, 1, 0))
                .toList();
        ask(Operation.FORGET, wishes);
    }

    private List<Answer> ask(Operation operation, List<Wish> wishes) {
        long start = System.nanoTime();
        try {
            if (!watch.isUp()) {
                throw watch.refusal();
            }
            List<Answer> answers = traveller.ask(operation, wishes, start + budgetNanos);
            listeners.forEach(listener -> listener.answered(null, System.nanoTime() - start));
            return answers;
        } catch (StoreUnavailableException e) {
            failures.count(e.kind());
            listeners.forEach(listener -> listener.answered(e.kind(), System.nanoTime() - start));
            if (e.kind() == StoreUnavailableException.Kind.TIMEOUT) {
                watch.failed(e);
            }
            throw e;
        }
    }

    private void settle(Operation operation, Demand demand) {
        if (watch.isUp()) {
            traveller.send(
                    operation,
                    new Wish(demand, key(demand), demand.cost(), 0),
                    System.nanoTime() + SETTLE_WITHIN.toNanos());
        }
    }

    private RedisKey key(Demand demand) {
        return keys.of(demand.zone(), demand.key(), demand.algorithm());
    }

    /** Tries the store as a request would. */
    private final class Trial implements Watch.Probe {

        @Override
        public boolean isStuck() {
            return traveller.isStuck(Math.max(2 * budgetNanos, LEAST_PATIENCE.toNanos()));
        }

        @Override
        public CompletionStage<?> decide(Link link) {
            return traveller.probe(link, keys.of("probe", RateLimitKey.ofText("probe"), Traveller.PROBE));
        }
    }

    @Override
    public String name() {
        return "redis";
    }

    @Override
    public @Nullable StoreStatus status() {
        return started.get() ? failures.status(watch.isUp()) : null;
    }

    @Override
    public Runnable onAnswer(AnswerListener listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    @Override
    public void close() {
        occupancy.close();
        watch.close();
    }
}
