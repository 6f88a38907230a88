package io.github.ratelimit.method;

import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one request has called so far, kept as a request attribute, so that nothing is charged twice. Used by one thread
 * at a time.
 */
final class RequestCalls {

    private static final String ATTRIBUTE = RequestCalls.class.getName();

    private final List<MethodLimits> settled = new ArrayList<>(2);
    private @Nullable MethodLimits entering;
    private @Nullable MethodLimits waiting;
    private boolean free;

    private RequestCalls() {}

    /** The calls of a request. */
    static RequestCalls of(HttpServletRequest request) {
        if (request.getAttribute(ATTRIBUTE) instanceof RequestCalls calls) {
            return calls;
        }
        RequestCalls calls = new RequestCalls();
        request.setAttribute(ATTRIBUTE, calls);
        return calls;
    }

    /** Notes that the request waits before the handler, which is paid. */
    void letWait(MethodLimits handler) {
        waiting = handler;
    }

    /** Whether the request has just waited before the handler; true only once. */
    boolean hasWaited(MethodLimits handler) {
        boolean waited = waiting == handler;
        waiting = null;
        return waited;
    }

    /**
     * Notes that Spring MVC is about to call a handler, whose early limits are settled.
     *
     * @param free whether its other limits are not charged either
     */
    void enter(MethodLimits handler, boolean free) {
        entering = handler;
        this.free = free;
    }

    /** Whether this is the call that {@link #enter} announced; true only once. */
    boolean arrive(MethodLimits handler) {
        if (entering != handler) {
            return false;
        }
        entering = null;
        return true;
    }

    /** Whether the call that arrived last pays nothing. */
    boolean isFree() {
        return free;
    }

    /** Whether an earlier call of the method was paid in this request. */
    boolean isSettled(MethodLimits method) {
        return settled.contains(method);
    }

    /** Notes that a call of the method was paid. */
    void settle(MethodLimits method) {
        settled.add(method);
    }
}
