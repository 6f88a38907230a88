package io.github.ratelimit.store.redis;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.store.Demand;
import io.github.ratelimit.store.StoreUnavailableException;
import io.github.ratelimit.store.redis.Call.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Permits that this instance draws ahead for hot keys, and hands out without asking. They are drawn before they are used,
 * so no key ever gets more than its rate in the long run; what is not used within a second goes back.
 */
final class Leases {

    private static final long CLEAR_MILLIS = 250;
    private static final long SEND_WITHIN_NANOS = 1_000_000_000L;

    private final Map<Place, Stock> stocks = new ConcurrentHashMap<>();
    private final Asker asker;
    private final ScheduledExecutorService executor;

    Leases(Asker asker, ScheduledExecutorService executor) {
        this.asker = asker;
        this.executor = executor;
    }

    void start() {
        executor.scheduleWithFixedDelay(this::clear, CLEAR_MILLIS, CLEAR_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Whose permits lie together: those of a key under limits of one kind. The name in Redis says the same, but takes longer to write. */
    private record Place(String zone, RateLimitKey key, Class<? extends Algorithm> kind) {

        static Place of(Demand demand) {
            return new Place(demand.zone(), demand.key(), demand.algorithm().getClass());
        }
    }

    /** Hands out permits that lie here; {@code null} when there are not enough of them. */
    @Nullable
    Step handOut(Demand demand, long nanos) {
        Stock stock = stocks.get(Place.of(demand));
        return stock == null ? null : stock.take(demand.algorithm(), demand.cost(), nanos);
    }

    /** What became of a wish: handed out here or answered by Redis. */
    record Outcome(Step step, boolean asked) {}

    /**
     * Draws for all wishes, some of which may be fetched ahead.
     *
     * @return one outcome to each; {@code null} when somebody else has fetched meanwhile, and it is worth another look
     */
    @Nullable
    List<Outcome> acquire(List<Wish> wishes, long deadlineNanos) {
        @Nullable Step[] handed = new Step[wishes.size()];
        List<Stock> fetching = new ArrayList<>(1);
        List<Wish> trip = new ArrayList<>(wishes.size());
        for (int i = 0; i < wishes.size(); i++) {
            Wish wish = wishes.get(i);
            if (wish.demand().lease() <= 1) {
                trip.add(wish);
                continue;
            }
            Stock stock = stock(wish);
            handed[i] = stock.take(wish.demand().algorithm(), wish.demand().cost(), System.nanoTime());
            if (handed[i] != null) {
                continue;
            }
            if (stock.setOut()) {
                fetching.add(stock);
                // who waits in line uses its own at once
                trip.add(wish.fetching(
                        Math.max(wish.demand().cost(), wish.demand().lease() + stock.waiting())));
                continue;
            }
            putBack(wishes, handed);
            fetching.forEach(Stock::returned);
            return stock.awaitTrip(middle(deadlineNanos)) ? null : alone(wishes, deadlineNanos);
        }
        return travelled(wishes, handed, fetching, trip, deadlineNanos);
    }

    private static long middle(long deadlineNanos) {
        long now = System.nanoTime();
        return now + (deadlineNanos - now) / 2;
    }

    /** Draws no more than is wanted, without waiting for those who fetch more. */
    private List<Outcome> alone(List<Wish> wishes, long deadlineNanos) {
        return travelled(wishes, new Step[wishes.size()], List.of(), wishes, deadlineNanos);
    }

    private List<Outcome> travelled(
            List<Wish> wishes, @Nullable Step[] handed, List<Stock> fetching, List<Wish> trip, long deadlineNanos) {
        try {
            List<Answer> answers = trip.isEmpty() ? List.of() : asker.ask(Operation.ACQUIRE, trip, deadlineNanos);
            return outcomes(wishes, handed, answers);
        } catch (StoreUnavailableException e) {
            putBack(wishes, handed);
            throw e;
        } finally {
            fetching.forEach(Stock::returned);
        }
    }

    private List<Outcome> outcomes(List<Wish> wishes, @Nullable Step[] handed, List<Answer> answers) {
        List<Outcome> outcomes = new ArrayList<>(wishes.size());
        boolean refused = refuses(wishes, handed, answers);
        int at = 0;
        for (int i = 0; i < handed.length; i++) {
            Wish wish = wishes.get(i);
            Step step = handed[i];
            if (step != null) {
                outcomes.add(new Outcome(step, false));
                continue;
            }
            Answer answer = answers.get(at++);
            outcomes.add(new Outcome(answer.step(), true));
            if (!refused && wish.demand().lease() > 1 && answer.step().admitted()) {
                long rest = answer.drawn() - wish.demand().cost();
                stock(wish).put(wish.demand().algorithm(), rest, answer.step(), System.nanoTime());
            }
        }
        if (refused) {
            putBack(wishes, handed);
        }
        return outcomes;
    }

    private static boolean refuses(List<Wish> wishes, @Nullable Step[] handed, List<Answer> answers) {
        boolean refused = false;
        int at = 0;
        for (int i = 0; i < handed.length; i++) {
            if (handed[i] == null) {
                refused |= wishes.get(i).demand().enforced()
                        && !answers.get(at).step().admitted();
                at++;
            }
        }
        return refused;
    }

    private void putBack(List<Wish> wishes, @Nullable Step[] handed) {
        for (int i = 0; i < handed.length; i++) {
            Step step = handed[i];
            if (step != null) {
                Wish wish = wishes.get(i);
                stock(wish).put(wish.demand().algorithm(), wish.demand().cost(), step, System.nanoTime());
            }
        }
    }

    private Stock stock(Wish wish) {
        return stocks.computeIfAbsent(Place.of(wish.demand()), absent -> new Stock(wish));
    }

    private void clear() {
        long now = System.nanoTime();
        stocks.forEach((place, stock) -> {
            Wish back = stock.clear(now);
            if (back != null) {
                asker.send(Operation.REFUND, back, now + SEND_WITHIN_NANOS);
            } else if (stock.isIdle(now)) {
                stocks.remove(place, stock);
            }
        });
    }
}
