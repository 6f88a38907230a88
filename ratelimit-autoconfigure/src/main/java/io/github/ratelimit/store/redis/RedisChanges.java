package io.github.ratelimit.store.redis;

import io.github.ratelimit.store.ChangeStore;
import io.github.ratelimit.store.StoreUnavailableException;
import io.github.ratelimit.store.StoreUnavailableException.Kind;
import io.github.ratelimit.store.ZoneChange;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Changes in one hash that all instances read twice a second. Until the store is started they stay in this instance, and
 * are handed over then.
 *
 * <p>A change that was taken back stays as an empty field, so that what Redis has lost, by a restart or a failover, can be
 * told from what somebody took back: the former is put there again by whoever knows it.
 *
 * <p>Safe for use by many threads; none of them waits in a monitor.
 */
final class RedisChanges implements ChangeStore {

    private static final Duration LOOK_EVERY = Duration.ofMillis(500);
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    /** How long changes outlive the last instance. */
    private static final Duration LIFE = Duration.ofDays(400);

    private static final Duration LEAST_LIFE = Duration.ofDays(300);
    /** What Redis says of a key that never expires. */
    private static final long FOR_EVER = -1;

    private final RedisKey key;
    private final Watch watch;
    private final ScheduledExecutorService executor;
    private final ChangesText text = new ChangesText();
    private final CountDownLatch firstReading = new CountDownLatch(1);
    /** By zone; what was taken back is {@link ZoneChange#NONE}. Guarded by this, as the two numbers are. */
    private Map<String, ZoneChange> held = Map.of();

    private long sent;
    private long applied;
    private boolean shared;
    private volatile Map<String, ZoneChange> changes = Map.of();
    private volatile @Nullable Runnable listener;
    /** Only looked at by the one task that looks. */
    private @Nullable Reading awaited;

    /**
     * A reading on its way.
     *
     * @param number counts up in the order in which the server reads
     */
    private record Reading(Link link, long number, long since, CompletableFuture<Map<byte[], byte[]>> fields) {}

    RedisChanges(RedisKey key, Watch watch, ScheduledExecutorService executor) {
        this.key = key;
        this.watch = watch;
        this.executor = executor;
    }

    /** Shares changes from now on; where Redis is there, waits for them. */
    void start() {
        synchronized (this) {
            shared = true;
        }
        executor.scheduleWithFixedDelay(this::look, 0, LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS);
        try {
            if (watch.isUp() && !firstReading.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                text.failed(overdue());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public Map<String, ZoneChange> changes() {
        return changes;
    }

    @Override
    public void put(String zone, ZoneChange change) {
        if (!keptHere(zone, change)) {
            Link link = watch.link();
            if (link == null || !watch.isUp()) {
                throw watch.refusal();
            }
            Reading reading = send(link, zone, change);
            accept(reading.number(), answered(reading.fields()), zone, change);
        }
    }

    @Override
    public void remove(String zone) {
        put(zone, ZoneChange.NONE);
    }

    @Override
    public void onChange(Runnable listener) {
        this.listener = listener;
    }

    private synchronized boolean keptHere(String zone, ZoneChange change) {
        if (!shared) {
            hold(with(held, zone, change));
        }
        return !shared;
    }

    /** Writes where a zone is given, and reads: in this order, and in the order of the numbers. */
    private synchronized Reading send(Link link, @Nullable String zone, ZoneChange change) {
        CompletableFuture<?> written = zone == null
                ? CompletableFuture.completedFuture(null)
                : link.put(key, ChangesText.bytes(zone), ChangesText.bytes(change.toText()), LIFE)
                        .toCompletableFuture();
        CompletableFuture<Map<byte[], byte[]>> fields = written.thenCombine(link.fields(key), (done, all) -> all);
        return new Reading(link, ++sent, System.nanoTime(), fields);
    }

    private void look() {
        try {
            Link link = watch.link();
            if (link != null && watch.isUp() && !isAwaiting(link)) {
                Reading reading = send(link, null, ZoneChange.NONE);
                awaited = reading;
                reading.fields().whenComplete((fields, failure) -> looked(reading, fields, failure));
            }
        } catch (RuntimeException e) {
            text.failed(Failures.of(e));
        }
    }

    /** What waits too long waits on a connection that nobody else may be using: it has to be given up for all. */
    private boolean isAwaiting(Link link) {
        Reading last = awaited;
        if (last == null || last.link() != link || last.fields().isDone()) {
            return false;
        }
        if (System.nanoTime() - last.since() > PATIENCE.toNanos()) {
            watch.failed(overdue());
        }
        return true;
    }

    private void looked(Reading reading, Map<byte[], byte[]> fields, @Nullable Throwable failure) {
        if (failure != null) {
            text.failed(Failures.of(failure));
        } else {
            accept(reading.number(), fields, null, ZoneChange.NONE);
            renew(reading.link(), !fields.isEmpty());
        }
        firstReading.countDown();
    }

    /** Takes over what was read, unless a later reading was faster, and tells unless it is what was written here. */
    private void accept(long number, Map<byte[], byte[]> fields, @Nullable String zone, ZoneChange change) {
        Map<String, ZoneChange> read = text.read(fields);
        Map<String, ZoneChange> lost = new LinkedHashMap<>();
        boolean isNews;
        synchronized (this) {
            if (number <= applied) {
                return;
            }
            applied = number;
            Map<String, ZoneChange> expected = zone == null ? held : with(held, zone, change);
            expected.forEach((name, known) -> {
                if (!known.isEmpty() && !read.containsKey(name)) {
                    lost.put(name, known);
                }
            });
            hold(expected);
            Map<String, ZoneChange> before = changes;
            read.putAll(lost);
            hold(read);
            isNews = !changes.equals(before);
        }
        lost.forEach(this::restore);
        if (isNews) {
            tell();
        }
    }

    /** Puts there what is not, and nobody has written meanwhile; what fails is tried again with the next look. */
    private void restore(String zone, ZoneChange change) {
        Link link = watch.link();
        if (link != null) {
            link.offer(key, ChangesText.bytes(zone), ChangesText.bytes(change.toText()), LIFE)
                    .whenComplete((done, failure) -> {
                        if (failure != null) {
                            text.failed(Failures.of(failure));
                        }
                    });
        }
    }

    /** What is in force lives on; what would live for ever, as its writer ended between two commands, does not. */
    private void renew(Link link, boolean exists) {
        if (exists) {
            link.life(key).thenAccept(millis -> {
                if (millis == FOR_EVER || (!changes.isEmpty() && millis < LEAST_LIFE.toMillis())) {
                    link.prolong(key, LIFE);
                }
            });
        }
    }

    private void tell() {
        Runnable told = listener;
        if (told != null) {
            try {
                executor.execute(told);
            } catch (RejectedExecutionException e) {
                // the application is closing
            }
        }
    }

    private void hold(Map<String, ZoneChange> all) {
        held = all;
        Map<String, ZoneChange> inForce = new LinkedHashMap<>(all);
        inForce.values().removeIf(ZoneChange::isEmpty);
        changes = Map.copyOf(inForce);
    }

    private static Map<String, ZoneChange> with(Map<String, ZoneChange> all, String zone, ZoneChange change) {
        Map<String, ZoneChange> more = new LinkedHashMap<>(all);
        more.put(zone, change);
        return more;
    }

    private static <T> T answered(CompletableFuture<T> answer) {
        try {
            return answer.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailableException(Kind.TIMEOUT, "the wait for an answer was interrupted", e);
        } catch (TimeoutException e) {
            throw overdue();
        } catch (ExecutionException e) {
            throw Failures.of(e);
        }
    }

    private static StoreUnavailableException overdue() {
        return new StoreUnavailableException(Kind.TIMEOUT, "no answer within " + PATIENCE.toSeconds() + " s", null);
    }
}
