package io.github.ratelimit.web;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.jspecify.annotations.Nullable;

/**
 * The request that is dispatched when its wait is over. It has Tomcat pick the filters of a first dispatch, so that no
 * filter is passed over for being mapped to first dispatches only; what those behind the first filter see is a
 * {@link FirstDispatch}. On a server that does not ask, {@link ResumeGuard} steps in.
 */
final class ResumedRequest extends HttpServletRequestWrapper {

    /** By this attribute Tomcat picks the filters of a dispatch. */
    private static final String FILTERS_OF = "org.apache.catalina.core.DISPATCHER_TYPE";

    private volatile boolean ended;

    ResumedRequest(HttpServletRequest request) {
        super(request);
    }

    /** The dispatch is over: a later one is the application's own. */
    void end() {
        ended = true;
    }

    @Override
    public @Nullable Object getAttribute(String name) {
        Object value = super.getAttribute(name);
        return value == DispatcherType.ASYNC && !ended && name.equals(FILTERS_OF) ? DispatcherType.REQUEST : value;
    }
}
