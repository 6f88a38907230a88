package io.github.ratelimit.web;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.jspecify.annotations.Nullable;

/**
 * A request that goes on after its wait. For the container this is an asynchronous dispatch; for what stands behind the
 * first filter it is the request's first one, so that nothing leaves it alone: neither a filter that is mapped to first
 * dispatches only, nor one that skips asynchronous ones, as security filters do.
 *
 * <p>Filters in front of the first one have seen the request before it waited; they see what it is.
 */
final class ResumedRequest extends HttpServletRequestWrapper {

    /** By this attribute Tomcat picks the filters of a dispatch. */
    private static final String FILTERS_OF = "org.apache.catalina.core.DISPATCHER_TYPE";

    private volatile boolean begun;
    private volatile boolean ended;

    ResumedRequest(HttpServletRequest request) {
        super(request);
    }

    /** The request is at the first filter. */
    void begin() {
        begun = true;
    }

    /** The dispatch is over: a later one is the application's own. */
    void end() {
        ended = true;
    }

    @Override
    public DispatcherType getDispatcherType() {
        DispatcherType type = super.getDispatcherType();
        return type == DispatcherType.ASYNC && begun && !ended ? DispatcherType.REQUEST : type;
    }

    @Override
    public @Nullable Object getAttribute(String name) {
        Object value = super.getAttribute(name);
        return value == DispatcherType.ASYNC && !ended && name.equals(FILTERS_OF) ? DispatcherType.REQUEST : value;
    }
}
