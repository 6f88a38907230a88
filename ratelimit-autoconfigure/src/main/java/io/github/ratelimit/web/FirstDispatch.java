package io.github.ratelimit.web;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;

/**
 * A request that goes on after its wait, as all behind the first filter see it. For the container it is an asynchronous
 * dispatch; for them it is the request's first one, so that none leaves it alone, as security filters do with
 * asynchronous ones.
 */
final class FirstDispatch extends HttpServletRequestWrapper {

    private volatile boolean ended;

    FirstDispatch(HttpServletRequest request) {
        super(request);
    }

    /** The dispatch is over: a later one is the application's own. */
    void end() {
        ended = true;
    }

    @Override
    public DispatcherType getDispatcherType() {
        DispatcherType type = super.getDispatcherType();
        return type == DispatcherType.ASYNC && !ended ? DispatcherType.REQUEST : type;
    }
}
