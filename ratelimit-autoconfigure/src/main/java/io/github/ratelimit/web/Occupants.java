package io.github.ratelimit.web;

import io.github.ratelimit.limiter.RequestLedger;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The asynchronous requests that occupy something as long as they live. The container says when one is complete: the
 * one event that follows a normal end, an error, a time-out and a client that has gone alike.
 *
 * <p>Where a client goes while the container's own thread writes to it, Tomcat says nothing at all: it reuses the
 * request. So those that live are also looked at once a second.
 */
public final class Occupants {

    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private final RequestTimer timer;
    private final Set<Occupant> alive = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean watching = new AtomicBoolean();

    /** Nobody. */
    public Occupants(RequestTimer timer) {
        this.timer = timer;
    }

    /** Requests that are asynchronous and occupy something now. */
    int size() {
        return alive.size();
    }

    /** Lets a request give back what it occupies, if anything, when it is complete. */
    void add(Passage passage, AsyncContext context) {
        if (passage.ledger.occupies()) {
            Occupant occupant = new Occupant(passage.request, passage.ledger);
            alive.add(occupant);
            context.addListener(occupant);
            watch();
        }
    }

    private void watch() {
        if (watching.compareAndSet(false, true)) {
            try {
                timer.after(INTERVAL, this::look);
            } catch (RejectedExecutionException e) {
                // the server stops
            }
        }
    }

    private void look() {
        alive.forEach(Occupant::leaveIfGone);
        watching.set(false);
        if (!alive.isEmpty()) {
            watch();
        }
    }

    /** One request. */
    private final class Occupant implements AsyncListener {

        private final ServletRequest request;
        private final RequestLedger ledger;

        Occupant(ServletRequest request, RequestLedger ledger) {
            this.request = innermost(request);
            this.ledger = ledger;
        }

        private static ServletRequest innermost(ServletRequest request) {
            ServletRequest at = request;
            while (at instanceof ServletRequestWrapper wrapper) {
                at = wrapper.getRequest();
            }
            return at;
        }

        private void leave() {
            alive.remove(this);
            ledger.release();
        }

        void leaveIfGone() {
            try {
                request.getDispatcherType();
            } catch (IllegalStateException e) {
                // the container has taken the request away from us
                leave();
            }
        }

        @Override
        public void onComplete(AsyncEvent event) {
            leave();
        }

        @Override
        public void onStartAsync(AsyncEvent event) {
            // a request that becomes asynchronous again has lost its listeners
            event.getAsyncContext().addListener(this);
        }

        @Override
        public void onTimeout(AsyncEvent event) {
            // onComplete follows
        }

        @Override
        public void onError(AsyncEvent event) {
            // onComplete follows
        }
    }
}
