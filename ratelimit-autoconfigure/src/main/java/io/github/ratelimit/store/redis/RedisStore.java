package io.github.ratelimit.store.redis;

import io.github.ratelimit.algorithm.Concurrency;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.algorithm.TokenBucket;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.store.Bans;
import io.github.ratelimit.store.ChangeStore;
import io.github.ratelimit.store.Demand;
import io.github.ratelimit.store.Reply;
import io.github.ratelimit.store.SharedStore;
import io.github.ratelimit.store.StoreHealth;
import io.github.ratelimit.store.redis.Call.Operation;
import io.github.ratelimit.store.redis.Errand.Outcome;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
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
public final class RedisStore implements SharedStore, AutoCloseable {

    private static final Duration FIRST_CONNECT = Duration.ofMillis(2_500);
    /** An answer that takes longer, and longer than two budgets, is not waited for: the connection is given up. */
    private static final Duration LEAST_PATIENCE = Duration.ofMillis(300);

    private static final long SETTLE_NANOS = 1_000_000_000L;
    private static final int THREADS = 2;
    /** Said of what nobody asked about, because the request is refused anyway. */
    private static final Step NOT_DRAWN = new Step(Step.Verdict.ADMITTED, 0, 0, 0, 0);

    private final long budgetNanos;
    private final RedisKeys keys;
    private final FailureLog failures = new FailureLog();
    private final Denials denials;
    private final Traveller traveller;
    private final Watch watch;
    private final Asker asker;
    private final Occupancy occupancy;
    private final Leases leases;
    private final Refunds refunds;
    private final RedisChanges changes;
    private final BanBook bans;
    private final AtomicBoolean started = new AtomicBoolean();

    /**
     * A store that connects as a factory of the application would, which is only looked at.
     *
     * @param factory gives it when the store is started
     * @param database index of the database, {@code null} for the factory's
     */
    public static RedisStore like(
            Supplier<LettuceConnectionFactory> factory, @Nullable Integer database, RedisSettings settings) {
        return new RedisStore(
                () -> new LettuceEndpoint(ConnectionSettings.of(factory.get(), database), Script.decide()),
                settings,
                new Denials(Denials.MOST));
    }

    RedisStore(Supplier<Endpoint> endpoint, RedisSettings settings, Denials denials) {
        this.denials = denials;
        this.budgetNanos = settings.timeout().toNanos();
        this.keys = new RedisKeys(settings.keyPrefix());
        byte[] instance = new byte[8];
        new SecureRandom().nextBytes(instance);
        String channel = keys.internal("refunds");
        ScheduledExecutorService executor = executor();
        this.traveller = new Traveller(instance, channel);
        this.watch = new Watch(endpoint, new Trial(), failures, executor);
        this.traveller.follow(watch);
        this.asker = new Asker(watch, traveller, failures);
        this.occupancy = new Occupancy(asker, executor);
        this.leases = new Leases(asker, executor);
        this.bans = new BanBook(new BanScript(channel), watch, denials::hasHeardSince, failures);
        this.refunds = new Refunds(channel, denials, bans, watch::endpoint, watch::isUp, failures, executor);
        this.changes = new RedisChanges(keys.internalKey("changes"), watch, executor);
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

    /** Connects, and waits some seconds at most for the outcome; without Redis it goes on looking for it. Does so once. */
    public void start() {
        if (started.compareAndSet(false, true)) {
            watch.start();
            occupancy.start();
            leases.start();
            watch.awaitFirstLook(FIRST_CONNECT);
            refunds.start();
            changes.start();
        }
    }

    @Override
    public List<Reply> acquire(List<Demand> demands) {
        long start = System.nanoTime();
        Step handed = handedOut(demands, start);
        if (handed != null) {
            return List.of(new Reply(handed, false, null));
        }
        Turn turn = new Turn();
        try {
            return decided(wishes(demands), start, turn);
        } finally {
            turn.passOn();
        }
    }

    private List<Reply> decided(List<Wish> wishes, long start, Turn turn) {
        while (true) {
            @Nullable Step[] known = known(wishes);
            List<Wish> unknown = unknown(wishes, known);
            boolean refused = unknown.size() < wishes.size() && refuses(wishes, known);
            if (refused || unknown.isEmpty()) {
                return replies(wishes, known, List.of());
            }
            List<Outcome> outcomes = drawn(unknown, start, turn);
            if (outcomes != null) {
                return replies(wishes, known, outcomes);
            }
        }
    }

    /** What a single demand gets of what was fetched ahead, which needs no name in Redis; {@code null} when that is nothing. */
    private @Nullable Step handedOut(List<Demand> demands, long nanos) {
        return demands.size() == 1 && demands.get(0).lease() > 1 ? leases.handOut(demands.get(0), nanos) : null;
    }

    /** Draws; {@code null} when somebody else did meanwhile, and it is worth another look. */
    private @Nullable List<Outcome> drawn(List<Wish> wishes, long start, Turn turn) {
        long asked = System.nanoTime();
        List<Outcome> outcomes;
        if (wishes.stream().anyMatch(wish -> wish.demand().lease() > 1)) {
            outcomes = leases.acquire(wishes, start + budgetNanos, turn);
        } else {
            outcomes = new ArrayList<>(wishes.size());
            for (Answer answer : asker.ask(Operation.ACQUIRE, wishes, start + budgetNanos)) {
                outcomes.add(new Outcome(answer.step(), true));
            }
        }
        long answered = System.nanoTime();
        for (int i = 0; outcomes != null && i < wishes.size(); i++) {
            Wish wish = wishes.get(i);
            denials.note(wish.demand(), wish.key(), outcomes.get(i).step(), asked, answered);
        }
        return outcomes;
    }

    /** What need not be asked, because it was refused and cannot have changed since. */
    private @Nullable Step[] known(List<Wish> wishes) {
        @Nullable Step[] known = new Step[wishes.size()];
        long now = System.nanoTime();
        for (int i = 0; i < known.length; i++) {
            known[i] = denials.find(wishes.get(i).demand(), wishes.get(i).key(), now);
        }
        return known;
    }

    private static List<Wish> unknown(List<Wish> wishes, @Nullable Step[] known) {
        List<Wish> unknown = new ArrayList<>(known.length);
        for (int i = 0; i < known.length; i++) {
            if (known[i] == null) {
                unknown.add(wishes.get(i));
            }
        }
        return unknown;
    }

    private static boolean refuses(List<Wish> wishes, @Nullable Step[] known) {
        for (int i = 0; i < known.length; i++) {
            if (known[i] != null && wishes.get(i).demand().enforced()) {
                return true;
            }
        }
        return false;
    }

    /** One reply to each wish; where one is refused, what nobody asked about was not drawn, whatever is said of it. */
    private List<Reply> replies(List<Wish> wishes, @Nullable Step[] known, List<Outcome> outcomes) {
        boolean refused = false;
        int at = 0;
        List<Reply> replies = new ArrayList<>(known.length);
        for (int i = 0; i < known.length; i++) {
            Step step = known[i];
            boolean asked = step == null && at < outcomes.size();
            Outcome outcome = asked ? outcomes.get(at++) : new Outcome(step != null ? step : NOT_DRAWN, false);
            refused |= wishes.get(i).demand().enforced() && !outcome.step().admitted();
            replies.add(new Reply(outcome.step(), outcome.asked(), null));
        }
        for (int i = 0; !refused && i < known.length; i++) {
            if (wishes.get(i).isSlot() && replies.get(i).step().admitted()) {
                replies.set(i, new Reply(replies.get(i).step(), true, occupancy.taken(wishes.get(i))));
            }
        }
        return replies;
    }

    @Override
    public List<Reply> peek(List<Demand> demands) {
        long start = System.nanoTime();
        List<Wish> wishes = wishes(demands);
        @Nullable Step[] known = known(wishes);
        List<Wish> unknown = unknown(wishes, known);
        List<Outcome> outcomes = new ArrayList<>(unknown.size());
        if (!unknown.isEmpty()) {
            for (Answer answer : asker.ask(Operation.PEEK, unknown, start + budgetNanos)) {
                outcomes.add(new Outcome(answer.step(), true));
            }
        }
        List<Reply> replies = new ArrayList<>(known.length);
        int at = 0;
        for (Step step : known) {
            replies.add(
                    step != null
                            ? new Reply(step, false, null)
                            : new Reply(outcomes.get(at++).step(), true, null));
        }
        return replies;
    }

    @Override
    public @Nullable Step known(Demand demand) {
        return denials.find(demand, key(demand), System.nanoTime());
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
            denials.refunded(key(demand), System.nanoTime());
            settle(Operation.REFUND, demand);
        }
    }

    @Override
    public void forget(String zone, RateLimitKey key) {
        Demand any = new Demand(zone, key, TokenBucket.of(new Rate(1, 1_000_000_000L, "1/s"), 1), 1, true, 1);
        List<Wish> wishes = new ArrayList<>();
        for (RedisKey each : keys.all(zone, key)) {
            wishes.add(new Wish(any, each, 1, 0));
            denials.refunded(each, System.nanoTime());
        }
        asker.ask(Operation.FORGET, wishes, System.nanoTime() + budgetNanos);
    }

    private void settle(Operation operation, Demand demand) {
        asker.send(operation, new Wish(demand, key(demand), demand.cost(), 0), System.nanoTime() + SETTLE_NANOS);
    }

    private List<Wish> wishes(List<Demand> demands) {
        List<Wish> wishes = new ArrayList<>(demands.size());
        for (Demand demand : demands) {
            long lease = demand.algorithm() instanceof Concurrency ? occupancy.nextLease() : 0;
            wishes.add(new Wish(demand, key(demand), demand.cost(), lease));
        }
        return wishes;
    }

    private RedisKey key(Demand demand) {
        return keys.of(demand.zone(), demand.key(), demand.algorithm());
    }

    /** Changes of zones: shared with all instances from the start of this store on. */
    public ChangeStore changes() {
        return changes;
    }

    /**
     * The bans that all instances share.
     *
     * @param standIn counts while Redis is away
     */
    public RedisBans bans(Bans standIn) {
        return new RedisBans(bans, keys, budgetNanos, standIn);
    }

    /** Who holds slots. */
    Occupancy occupancy() {
        return occupancy;
    }

    /** Tries the store as a request would. */
    private final class Trial implements Watch.Probe {

        @Override
        public boolean isStuck() {
            return traveller.isStuck(Math.max(2 * budgetNanos, LEAST_PATIENCE.toNanos()));
        }

        @Override
        public CompletionStage<?> decide(Link link) {
            RateLimitKey nobody = RateLimitKey.ofText("probe");
            bans.introduce(link, keys.ban("probe", nobody));
            return traveller.probe(link, keys.of("probe", nobody, Traveller.PROBE));
        }
    }

    @Override
    public @Nullable StoreHealth health() {
        return started.get() ? failures.health(watch.isUp()) : null;
    }

    @Override
    public void close() {
        occupancy.close();
        watch.close();
    }
}
