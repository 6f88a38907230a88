package io.github.ratelimit.store;

import io.github.ratelimit.algorithm.Penalty;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.key.RateLimitKey;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The keys that are banned from zones, and those on their way there.
 *
 * <p>No method that a request needs waits: what is shared with other instances is told and heard of behind its back. Safe for
 * use by many threads.
 */
public interface Bans {

    /**
     * A ban.
     *
     * @param number which of the key's bans it is, from 1
     * @param restNanos nanoseconds until it ends; {@link Step#NEVER} when it does not end by itself
     */
    record Ban(int number, long restNanos) {

        /** Whether it lasts until somebody lifts it. */
        public boolean permanent() {
            return restNanos == Step.NEVER;
        }
    }

    /**
     * How a key stands.
     *
     * @param strikes refusals that count towards the next ban
     * @param ban the ban in force, {@code null} without one
     */
    record Standing(int strikes, @Nullable Ban ban) {}

    /**
     * The ban in force, {@code null} without one. Asked for each request of a zone with a penalty; where the zone is shared
     * also after its trip, during which it may have been heard of.
     */
    @Nullable
    Ban find(String zone, RateLimitKey key);

    /**
     * Notes that a key was refused by its own limit.
     *
     * @param zone the zone's name
     * @param key who was refused
     * @param penalty what that leads to
     * @param maxKeys the most keys of the zone that are kept in mind; newcomers beyond are not noted
     * @param onBan told of the ban if this refusal leads to one: once, by the instance that imposes it, perhaps later and on
     *     another thread
     * @return the ban that is in force now as far as that is known without waiting; {@code null} when there is none, or when
     *     only the store that counts can tell
     */
    @Nullable
    Ban strike(String zone, RateLimitKey key, Penalty penalty, int maxKeys, Consumer<Ban> onBan);

    /** How a key stands with a zone; changes nothing. For operators: it may wait for a trip to a shared store. */
    Standing standing(String zone, RateLimitKey key, Penalty penalty);

    /** Lifts the ban of a key and forgets its conduct. */
    void lift(String zone, RateLimitKey key);
}
