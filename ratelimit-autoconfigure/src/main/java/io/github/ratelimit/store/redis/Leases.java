package io.github.ratelimit.store.redis;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.store.Demand;
import io.github.ratelimit.store.StoreUnavailableException;
import io.github.ratelimit.store.redis.Call.Operation;
import io.github.ratelimit.store.redis.Errand.Outcome;
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

    /**
     * Draws for all wishes, some of which may be fetched ahead.
     *
     * @param turn to be passed on when the request is over
     * @return one outcome to each; {@code null} when somebody else has fetched meanwhile, and it is worth another look
     * @throws StoreUnavailableException when there are none
     */
    @Nullable
    List<Outcome> acquire(List<Wish> wishes, long deadlineNanos, Turn turn) {
        Errand errand = new Errand(wishes.size());
        for (Wish wish : wishes) {
            if (wish.demand().lease() <= 1) {
                errand.ask(wish);
                continue;
            }
            Stock stock = stock(wish);
            Step step = stock.take(wish.demand().algorithm(), wish.demand().cost(), System.nanoTime());
            if (step != null) {
                errand.handed(wish, stock, step);
            } else if (stock.setOut()) {
                turn.setOut(stock);
                // who waits in line uses its own at once
                long ahead = wish.demand().lease() + stock.waiting();
                errand.fetch(wish, stock, Math.max(wish.demand().cost(), ahead));
            } else {
                errand.failed();
                if (!stock.awaitTrip(middle(deadlineNanos))) {
                    return alone(wishes, deadlineNanos);
                }
                turn.at(stock);
                return null;
            }
        }
        return travelled(errand, deadlineNanos);
    }

    private static long middle(long deadlineNanos) {
        long now = System.nanoTime();
        return now + (deadlineNanos - now) / 2;
    }

    /** Draws no more than is wanted, without waiting for those who fetch more. */
    private List<Outcome> alone(List<Wish> wishes, long deadlineNanos) {
        Errand errand = new Errand(wishes.size());
        wishes.forEach(errand::ask);
        return travelled(errand, deadlineNanos);
    }

    private List<Outcome> travelled(Errand errand, long deadlineNanos) {
        try {
            List<Answer> answers = errand.trip().isEmpty()
                    ? List.of()
                    : asker.ask(Operation.ACQUIRE, errand.trip(), deadlineNanos, errand);
            if (errand.arrived(answers)) {
                errand.announce();
            }
            return errand.outcomes(answers);
        } finally {
            errand.failed();
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
