package io.github.ratelimit.web;

import io.github.ratelimit.limiter.RequestLedger;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;

/**
 * Gives back what an asynchronous request occupies, when the container says that it is complete: the one event that
 * follows a normal end, an error, a time-out and a client that has gone alike.
 */
final class ReleaseListener implements AsyncListener {

    private final RequestLedger ledger;

    private ReleaseListener(RequestLedger ledger) {
        this.ledger = ledger;
    }

    static void listen(AsyncContext context, RequestLedger ledger) {
        context.addListener(new ReleaseListener(ledger));
    }

    @Override
    public void onComplete(AsyncEvent event) {
        ledger.release();
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
