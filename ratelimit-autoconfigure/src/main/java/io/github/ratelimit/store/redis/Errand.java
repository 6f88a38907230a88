package io.github.ratelimit.store.redis;

import io.github.ratelimit.algorithm.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * What one request wants of Redis and of what was fetched ahead. Once its trip is over, whatever it brings for others is put
 * where they find it, by whoever knows first: the thread that brings the answers need not wait for the one that asked.
 */
final class Errand implements Arrival {

    private final List<Part> parts;
    private final List<Wish> trip;
    private final List<Stock> fetched = new ArrayList<>(1);
    private final AtomicBoolean over = new AtomicBoolean();

    /**
     * A wish.
     *
     * @param stock where permits are put, {@code null} where none are fetched ahead
     * @param handed what was handed out here, {@code null} where Redis is asked
     */
    private record Part(
            Wish wish, @Nullable Stock stock, @Nullable Step handed) {}

    /** What became of a wish: handed out here or answered by Redis. */
    record Outcome(Step step, boolean asked) {}

    Errand(int wishes) {
        parts = new ArrayList<>(wishes);
        trip = new ArrayList<>(wishes);
    }

    /** Adds a wish for which nothing is fetched ahead. */
    void ask(Wish wish) {
        parts.add(new Part(wish, null, null));
        trip.add(wish);
    }

    /** Adds a wish for more than it needs, and the right to fetch that. */
    void fetch(Wish wish, Stock stock, long permits) {
        parts.add(new Part(wish, stock, null));
        trip.add(wish.fetching(permits));
        fetched.add(stock);
    }

    /** Adds a wish that got what lay there. */
    void handed(Wish wish, Stock stock, Step step) {
        parts.add(new Part(wish, stock, step));
    }

    /** What Redis is asked for. */
    List<Wish> trip() {
        return trip;
    }

    /** Puts what has come where others find it; does so once. */
    @Override
    public boolean arrived(List<Answer> answers) {
        if (!over.compareAndSet(false, true)) {
            return false;
        }
        boolean refused = refuses(answers);
        int at = 0;
        for (Part part : parts) {
            if (part.handed != null) {
                putBack(part, refused);
                continue;
            }
            Answer answer = answers.get(at++);
            if (part.stock != null && !refused && answer.step().admitted()) {
                put(part, part.stock, answer.drawn() - part.wish.demand().cost(), answer.step());
            }
        }
        fetched.forEach(Stock::returned);
        return true;
    }

    @Override
    public void announce() {
        fetched.forEach(Stock::wakeNext);
    }

    /** Nothing has come, and nothing will; without effect if something has. */
    void failed() {
        if (over.compareAndSet(false, true)) {
            parts.forEach(part -> putBack(part, true));
            fetched.forEach(Stock::returned);
            announce();
        }
    }

    /** What became of each wish. */
    List<Outcome> outcomes(List<Answer> answers) {
        List<Outcome> outcomes = new ArrayList<>(parts.size());
        int at = 0;
        for (Part part : parts) {
            outcomes.add(
                    part.handed != null
                            ? new Outcome(part.handed, false)
                            : new Outcome(answers.get(at++).step(), true));
        }
        return outcomes;
    }

    private boolean refuses(List<Answer> answers) {
        int at = 0;
        for (Part part : parts) {
            if (part.handed == null
                    && !answers.get(at++).step().admitted()
                    && part.wish.demand().enforced()) {
                return true;
            }
        }
        return false;
    }

    private static void putBack(Part part, boolean unused) {
        if (unused && part.stock != null && part.handed != null) {
            put(part, part.stock, part.wish.demand().cost(), part.handed);
        }
    }

    private static void put(Part part, Stock stock, long permits, Step step) {
        stock.put(part.wish.demand().algorithm(), permits, step, System.nanoTime());
    }
}
