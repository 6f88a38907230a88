package io.github.ratelimit.web;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;

/**
 * A request that goes on after its wait. The container sees an asynchronous dispatch; filters and servlets have never
 * seen the request before, and those that leave asynchronous dispatches alone (security filters among them) must not
 * leave this one alone.
 */
final class ResumedRequest extends HttpServletRequestWrapper {

    private boolean untouched = true;

    ResumedRequest(HttpServletRequest request) {
        super(request);
    }

    @Override
    public AsyncContext startAsync() {
        untouched = false;
        return super.startAsync();
    }

    @Override
    public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
        untouched = false;
        return super.startAsync(request, response);
    }

    @Override
    public DispatcherType getDispatcherType() {
        DispatcherType type = super.getDispatcherType();
        return untouched && type == DispatcherType.ASYNC ? DispatcherType.REQUEST : type;
    }
}
