package io.github.ratelimit.store;

import java.util.Map;

/**
 * Keeps what operators change while the application runs, by the name of the zone.
 *
 * <p>A store that instances share tells each of them of every change within a second, its own included, and keeps them
 * over restarts. Safe for use by many threads.
 */
public interface ChangeStore {

    /**
     * The changes that are known to this instance.
     *
     * @return a snapshot; empty while a shared store has not answered yet
     */
    Map<String, ZoneChange> changes();

    /**
     * Keeps a change in the place of an earlier one of the same zone. Once it returns, {@link #changes} has it.
     *
     * @throws StoreUnavailableException when it could not be kept: nothing has changed then, or it is not known whether it
     *     has
     */
    void put(String zone, ZoneChange change);

    /**
     * Drops the change of a zone, if there is one. Once it returns, {@link #changes} does not have it.
     *
     * @throws StoreUnavailableException as {@link #put}
     */
    void remove(String zone);

    /**
     * Names who is told that {@link #changes} is another than before, on a thread of the store, when another instance
     * was the cause. One listener; it must not throw.
     */
    void onChange(Runnable listener);

    /** A store of this instance alone: changes end with it. */
    static ChangeStore inMemory() {
        return new MemoryChanges();
    }
}
