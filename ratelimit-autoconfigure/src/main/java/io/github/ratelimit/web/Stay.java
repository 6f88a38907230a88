package io.github.ratelimit.web;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletResponse;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One request's wait: ends once, by its time, by the client's leaving or by the server's stop. */
final class Stay implements AsyncListener {

    private static final Logger log = LoggerFactory.getLogger(WaitingRoom.class);

    private final AsyncContext context;
    private final Consumer<Stay> onEnd;
    private final AtomicBoolean over = new AtomicBoolean();
    private volatile @Nullable Future<?> wake;

    /**
     * A wait.
     *
     * @param context the suspended request
     * @param onEnd told once when the wait is over
     */
    Stay(AsyncContext context, Consumer<Stay> onEnd) {
        this.context = context;
        this.onEnd = onEnd;
    }

    /** Begins to listen to what becomes of the request. */
    void begin() {
        context.addListener(this);
    }

    /** Tells what will end the wait in its time. */
    void wake(Future<?> wake) {
        this.wake = wake;
        if (over.get()) {
            wake.cancel(false);
        }
    }

    /** The time is over: the request goes on. */
    void goOn() {
        if (end()) {
            try {
                context.dispatch();
            } catch (IllegalStateException e) {
                // the container has ended the request in the meantime
            } catch (RuntimeException e) {
                log.error("A delayed request could not be dispatched", e);
                answer(HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
            }
        }
    }

    /** The server stops: the request is not served. */
    void stop() {
        if (end()) {
            answer(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
        }
    }

    private void answer(int status) {
        try {
            if (context.getResponse() instanceof HttpServletResponse response) {
                response.setStatus(status);
            }
            context.complete();
        } catch (IllegalStateException e) {
            // the container has ended the request in the meantime
        }
    }

    private boolean end() {
        if (!over.compareAndSet(false, true)) {
            return false;
        }
        Future<?> pending = wake;
        if (pending != null) {
            pending.cancel(false);
        }
        onEnd.accept(this);
        return true;
    }

    @Override
    public void onComplete(AsyncEvent event) {
        end();
    }

    @Override
    public void onTimeout(AsyncEvent event) {
        stop();
    }

    /** The client is gone. */
    @Override
    public void onError(AsyncEvent event) {
        if (end()) {
            context.complete();
        }
    }

    @Override
    public void onStartAsync(AsyncEvent event) {
        // the application's own asynchronous work on the request: this wait is over by then
    }
}
