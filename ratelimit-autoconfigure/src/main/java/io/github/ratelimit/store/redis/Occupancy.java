package io.github.ratelimit.store.redis;

import io.github.ratelimit.store.redis.Call.Operation;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The slots that requests of this instance hold in Redis. Each is a lease that lapses after 30 seconds; one task renews
 * those whose requests still live, so that an instance that crashes gives back all of its own.
 */
final class Occupancy implements AutoCloseable {

    private static final long RENEW_NANOS = 10_000_000_000L;
    private static final long LOOK_SECONDS = 5;
    private static final long SEND_WITHIN_NANOS = 1_000_000_000L;

    private final Set<Stay> stays = ConcurrentHashMap.newKeySet();
    private final AtomicLong leases = new AtomicLong();
    private final Asker asker;
    private final ScheduledExecutorService executor;

    Occupancy(Asker asker, ScheduledExecutorService executor) {
        this.asker = asker;
        this.executor = executor;
    }

    /** A request that holds slots. Compared by identity. */
    static final class Stay {

        private final Wish wish;
        private volatile long renewedNanos = System.nanoTime();
        private volatile boolean over;

        private Stay(Wish wish) {
            this.wish = wish;
        }
    }

    void start() {
        executor.scheduleWithFixedDelay(() -> renew(RENEW_NANOS), LOOK_SECONDS, LOOK_SECONDS, TimeUnit.SECONDS);
    }

    /** A number that no other lease of this instance has. */
    long nextLease() {
        return leases.incrementAndGet();
    }

    /** A request holds slots from now on. */
    Stay taken(Wish wish) {
        Stay stay = new Stay(wish);
        stays.add(stay);
        return stay;
    }

    /** It is over. */
    void released(Stay stay) {
        stay.over = true;
        stays.remove(stay);
        release(stay);
    }

    /** Renews the leases that are older than this. */
    void renew(long ageNanos) {
        long now = System.nanoTime();
        for (Stay stay : stays) {
            if (now - stay.renewedNanos >= ageNanos) {
                stay.renewedNanos = now;
                asker.send(Operation.RENEW, stay.wish, now + SEND_WITHIN_NANOS);
                if (stay.over) {
                    // it ended meanwhile, and may have been released before it was renewed
                    release(stay);
                }
            }
        }
    }

    private void release(Stay stay) {
        asker.send(Operation.REFUND, stay.wish, System.nanoTime() + SEND_WITHIN_NANOS);
    }

    @Override
    public void close() {
        stays.forEach(this::release);
        stays.clear();
    }
}
