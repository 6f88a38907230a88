package io.github.ratelimit.store.redis;

import io.github.ratelimit.store.StoreUnavailableException;
import io.github.ratelimit.store.StoreUnavailableException.Kind;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Watches over the connection to Redis: opens it, stops asking when it fails too often, and looks in the background
 * whether it is back. It is asked again only once a decision has been made there, written to a key of our own.
 *
 * <p>A breaker of two states; there is no half-open one, because no request is ever used to find out.
 */
final class Watch implements AutoCloseable {

    private static final Duration LOOK_EVERY = Duration.ofMillis(200);
    private static final Duration CONNECT_WITHIN = Duration.ofMillis(1500);
    private static final Duration PROBE_WITHIN = Duration.ofSeconds(1);

    /** A failure weighs as much as so many answers: more than one failure in five is too many. */
    private static final int WEIGHT = 4;

    private static final int TOO_MUCH = 5 * WEIGHT;

    private final Supplier<Endpoint> endpoints;
    private final Probe probe;
    private final FailureLog log;
    private final ScheduledExecutorService executor;
    private final AtomicInteger weight = new AtomicInteger();
    private final CountDownLatch firstLook = new CountDownLatch(1);
    private volatile @Nullable Endpoint endpoint;
    private volatile @Nullable Link link;
    private final AtomicBoolean up = new AtomicBoolean();
    private volatile boolean closed;

    /** A decision that changes nothing for anybody. */
    interface Probe {

        /** Whether an answer is long overdue. */
        boolean isStuck();

        /** Tries it on a connection; fails like any other. */
        CompletionStage<?> decide(Link link);
    }

    Watch(Supplier<Endpoint> endpoints, Probe probe, FailureLog log, ScheduledExecutorService executor) {
        this.endpoints = endpoints;
        this.probe = probe;
        this.log = log;
        this.executor = executor;
    }

    /** Begins to connect, without waiting. */
    void start() {
        executor.scheduleWithFixedDelay(this::look, 0, LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Waits for the outcome of the first attempt to connect. */
    void awaitFirstLook(Duration most) {
        try {
            if (!firstLook.await(most.toMillis(), TimeUnit.MILLISECONDS)) {
                log.tellDown("it has not answered yet");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Where Redis is, {@code null} before the first attempt to connect. */
    @Nullable
    Endpoint endpoint() {
        return endpoint;
    }

    /** Whether Redis is to be asked. */
    boolean isUp() {
        Link current = link;
        return up.get() && current != null && current.isOpen();
    }

    /** The connection, {@code null} while there is none. */
    @Nullable
    Link link() {
        return link;
    }

    /** It answered. */
    void succeeded() {
        int seen = weight.get();
        if (seen > 0) {
            weight.compareAndSet(seen, seen - 1);
        }
    }

    /** It failed. */
    void failed(StoreUnavailableException failure) {
        if (closed) {
            return;
        }
        log.tell(failure);
        if (weight.addAndGet(WEIGHT) >= TOO_MUCH) {
            // whatever waits on that connection must not be carried out later
            down(failure.kind() + ", " + failure.getMessage());
        }
    }

    private void down(String reason) {
        if (up.compareAndSet(true, false)) {
            log.tellDown(reason);
            executor.execute(this::hangUp);
        }
    }

    private void look() {
        try {
            Link current = link;
            boolean stuck = up.get() && probe.isStuck();
            if (closed || (up.get() && !stuck && current != null && current.isOpen())) {
                return;
            }
            down(stuck ? "an answer is overdue" : "the connection was lost");
            hangUp();
            Link opened = within(CONNECT_WITHIN, opening());
            link = opened;
            within(PROBE_WITHIN, probe.decide(opened));
            weight.set(0);
            up.set(true);
            log.tellUp();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException | RuntimeException e) {
            log.tell(Failures.of(e));
            hangUp();
        } finally {
            firstLook.countDown();
        }
    }

    private Endpoint opened() {
        Endpoint known = endpoint;
        if (known == null) {
            known = endpoints.get();
            endpoint = known;
        }
        return known;
    }

    /** A connection that opens too late is closed again. */
    private CompletionStage<Link> opening() {
        CompletableFuture<Link> taken = new CompletableFuture<>();
        opened().connect().whenComplete((opened, failure) -> {
            if (failure != null) {
                taken.completeExceptionally(failure);
            } else if (!taken.complete(opened)) {
                opened.close();
            }
        });
        return taken;
    }

    private void hangUp() {
        Link current = link;
        if (current != null && !up.get()) {
            link = null;
            current.close();
        }
    }

    private static <T> T within(Duration most, CompletionStage<T> stage)
            throws InterruptedException, ExecutionException, TimeoutException {
        CompletableFuture<T> future = stage.toCompletableFuture();
        try {
            return future.get(most.toMillis(), TimeUnit.MILLISECONDS);
        } finally {
            future.cancel(false);
        }
    }

    @Override
    public void close() {
        closed = true;
        up.set(false);
        executor.shutdownNow();
        Endpoint opened = endpoint;
        if (opened != null) {
            opened.close();
        }
    }

    /** Why a request is not sent. */
    StoreUnavailableException refusal() {
        return link == null
                ? new StoreUnavailableException(Kind.UNREACHABLE, "there is no connection to Redis", null)
                : new StoreUnavailableException(Kind.NOT_ASKED, "Redis has failed too often", null);
    }
}
