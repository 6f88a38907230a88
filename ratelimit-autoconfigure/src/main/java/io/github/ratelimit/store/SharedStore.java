package io.github.ratelimit.store;

import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.key.RateLimitKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keyed state that all instances of the application share, and whose clock decides.
 *
 * <p>State is consumption, never configuration: the algorithm comes with each demand. Safe for use by many threads. Each
 * call that waits ends within the store's budget of time, and nothing is ever sent a second time when it is not known
 * what became of it.
 */
public interface SharedStore {

    /**
     * Draws for all demands, or for none when an enforced one is refused. One trip.
     *
     * @param demands no zone and key twice
     * @return one reply to each, in their order; when an enforced one is refused the admitted ones were not drawn either
     * @throws StoreUnavailableException when the store gave no answer
     */
    List<Reply> acquire(List<Demand> demands);

    /**
     * What {@link #acquire} would say; changes nothing.
     *
     * @throws StoreUnavailableException when the store gave no answer
     */
    List<Reply> peek(List<Demand> demands);

    /**
     * What {@link #acquire} would say to a demand, where this instance knows it; {@code null} where the store would have to be
     * asked. Changes nothing and does not wait.
     */
    default @Nullable Step known(Demand demand) {
        return null;
    }

    /**
     * Draws more permits, whether or not there are any left: the key may go into debt. Does not wait.
     *
     * @param demand for what the first were drawn; its cost says how many more
     * @param drawn what {@link #acquire} said when they were
     */
    void charge(Demand demand, Reply drawn);

    /**
     * Gives back permits that were drawn; a key never holds more than its quota. Does not wait.
     *
     * @param demand for what they were drawn; its cost says how many come back
     * @param drawn what {@link #acquire} said when they were
     */
    void refund(Demand demand, Reply drawn);

    /**
     * Forgets a key's state: it is as if it had never drawn.
     *
     * @throws StoreUnavailableException when the store gave no answer
     */
    void forget(String zone, RateLimitKey key);

    /** How it fares; {@code null} when there is none. */
    default @Nullable StoreHealth health() {
        return null;
    }

    /** The store of an application that shares nothing: it never answers. */
    static SharedStore absent() {
        return AbsentStore.INSTANCE;
    }
}
