package io.github.ratelimit.store.local;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All zones that are kept in this JVM, by name. A zone outlives changes of its configuration; one daemon thread drops
 * finished keys, so that they leave without further traffic.
 */
public final class LocalStore implements AutoCloseable {

    /** How often finished keys are dropped. */
    static final long SWEEP_NANOS = 2_000_000_000L;

    private static final long STOP_MILLIS = 1_000;

    private static final Logger log = LoggerFactory.getLogger(LocalStore.class);

    private final Map<String, LocalZone> zones = new ConcurrentHashMap<>();
    private final LocalBans bans;
    private final Ticker ticker;
    private final ScheduledExecutorService sweeper;
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

    /**
     * An empty store.
     *
     * @param ticker the time of all zones
     */
    public LocalStore(Ticker ticker) {
        this.ticker = ticker;
        this.bans = new LocalBans(ticker);
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, this::thread);
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        this.sweeper = executor;
        sweeper.scheduleWithFixedDelay(this::sweep, SWEEP_NANOS, SWEEP_NANOS, TimeUnit.NANOSECONDS);
    }

    private Thread thread(Runnable task) {
        Thread thread = new Thread(task, "ratelimit-sweeper");
        thread.setDaemon(true);
        threads.add(thread);
        return thread;
    }

    /**
     * The zone of this name, made on first use; its bound is changed and its state kept when it is there.
     *
     * @param maxKeys the most keys it holds
     * @param shares whether newcomers of a full zone share buckets instead of being refused
     */
    public LocalZone zone(String name, int maxKeys, boolean shares) {
        LocalZone zone = zones.computeIfAbsent(name, absent -> new LocalZone(maxKeys, shares, ticker));
        zone.configure(maxKeys, shares);
        return zone;
    }

    /** The keys that are banned in this instance, from zones of whatever store. */
    public LocalBans bans() {
        return bans;
    }

    /** Forgets the zones that are not among these. */
    public void retain(Set<String> names) {
        zones.keySet().retainAll(names);
        bans.retain(names);
    }

    /** Drops the keys whose state carries no information, in all zones, and those whose conduct says nothing any more. */
    public void sweep() {
        zones.values().forEach(LocalZone::sweep);
        bans.sweep();
    }

    /** Stops the thread, and waits until it has stopped: a server that looks for threads left behind finds none. */
    @Override
    public void close() {
        sweeper.shutdownNow();
        try {
            for (Thread thread : threads) {
                // an executor says that it has ended before its thread has
                thread.join(STOP_MILLIS);
                if (thread.isAlive()) {
                    log.warn("The thread that drops finished keys did not stop within a second");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
