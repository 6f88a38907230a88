package io.github.ratelimit.method;

import io.github.ratelimit.key.IpAddress;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.key.RequestPath;
import io.github.ratelimit.key.RequestView;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/** What a key resolver sees of a call that no request led to: nothing. */
final class NoRequest implements RequestView {

    static final NoRequest VIEW = new NoRequest();

    /**
     * Counts the calls that no request led to, as the address counts requests without a key: they are the
     * application's own, not strangers.
     */
    static final RateLimitKey KEY = RateLimitKey.ofText("no-request");

    private NoRequest() {}

    @Override
    public HttpServletRequest request() {
        throw Missing.INSTANCE;
    }

    @Override
    public RequestPath path() {
        throw Missing.INSTANCE;
    }

    @Override
    public String method() {
        throw Missing.INSTANCE;
    }

    @Override
    public @Nullable IpAddress client() {
        return null;
    }

    @Override
    public @Nullable String pathVariable(String name) {
        return null;
    }

    /** A resolver asked for the request: its key is missing. */
    static final class Missing extends IllegalStateException {

        static final Missing INSTANCE = new Missing();

        private static final long serialVersionUID = 1L;

        private Missing() {
            super("This call has no request");
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }
}
