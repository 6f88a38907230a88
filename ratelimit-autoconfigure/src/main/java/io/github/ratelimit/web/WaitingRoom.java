package io.github.ratelimit.web;

import io.github.ratelimit.limiter.Suspension;
import io.github.ratelimit.limiter.WaitingSeats;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Where delayed requests wait: asynchronously, so that none of them holds a thread of the container; one timer wakes
 * them all. The number of requests that wait is bounded.
 */
public final class WaitingRoom implements WaitingSeats, Suspension, AutoCloseable {

    private final int capacity;
    private final AtomicInteger taken = new AtomicInteger();
    private final Set<Stay> stays = ConcurrentHashMap.newKeySet();
    private final ScheduledThreadPoolExecutor timer;

    /**
     * An empty room.
     *
     * @param capacity the most requests that wait at once
     */
    public WaitingRoom(int capacity) {
        this.capacity = capacity;
        this.timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "ratelimit-delays");
            thread.setDaemon(true);
            return thread;
        });
        timer.setRemoveOnCancelPolicy(true);
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** Requests that wait now. */
    public int waiting() {
        return taken.get();
    }

    @Override
    public boolean take() {
        if (taken.incrementAndGet() <= capacity && !timer.isShutdown()) {
            return true;
        }
        taken.decrementAndGet();
        return false;
    }

    @Override
    public void giveBack() {
        taken.decrementAndGet();
    }

    /** Lets a request wait on the seat that was taken for it; it is dispatched again when the time is over. */
    @Override
    public void enter(HttpServletRequest request, HttpServletResponse response, Duration delay) {
        AsyncContext context = request.startAsync(new ResumedRequest(request), response);
        context.setTimeout(0);
        Stay stay = new Stay(context);
        context.addListener(stay);
        stays.add(stay);
        stay.wake = timer.schedule(stay::goOn, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Drops all that wait: the server stops. */
    @Override
    public void close() {
        timer.shutdownNow();
        stays.forEach(Stay::drop);
    }

    /** One request's wait; ends once, by its time, by the client's leaving or by the server's stop. */
    private final class Stay implements AsyncListener {

        private final AsyncContext context;
        private final AtomicBoolean over = new AtomicBoolean();
        private volatile @Nullable Future<?> wake;

        Stay(AsyncContext context) {
            this.context = context;
        }

        private boolean end() {
            if (!over.compareAndSet(false, true)) {
                return false;
            }
            stays.remove(this);
            taken.decrementAndGet();
            Future<?> pending = wake;
            if (pending != null) {
                pending.cancel(false);
            }
            return true;
        }

        void goOn() {
            if (end()) {
                try {
                    context.dispatch();
                } catch (IllegalStateException e) {
                    // the container has ended the request in the meantime
                }
            }
        }

        void drop() {
            if (end()) {
                try {
                    context.complete();
                } catch (IllegalStateException e) {
                    // the container has ended the request in the meantime
                }
            }
        }

        @Override
        public void onComplete(AsyncEvent event) {
            end();
        }

        @Override
        public void onTimeout(AsyncEvent event) {
            drop();
        }

        @Override
        public void onError(AsyncEvent event) {
            drop();
        }

        @Override
        public void onStartAsync(AsyncEvent event) {
            // the application's own asynchronous work on the request: this wait is over by then
        }
    }
}
