package io.github.ratelimit.web;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.filter.CorsFilter;

/**
 * The CORS headers that the application's own filter would have sent with an answer: without them, a browser hides a
 * refusal from the script that caused it.
 */
public final class CorsHeaders {

    private static final FilterChain NOBODY = (request, response) -> {};

    private final Function<HttpServletRequest, @Nullable CorsFilter> filters;

    /**
     * The headers of an application.
     *
     * @param filters finds the filter that would handle a request, if any would
     */
    public CorsHeaders(Function<HttpServletRequest, @Nullable CorsFilter> filters) {
        this.filters = filters;
    }

    /** Writes them where they are wanted and not there yet. */
    void write(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (request.getHeader(HttpHeaders.ORIGIN) == null
                || response.containsHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN)) {
            return;
        }
        CorsFilter filter = filters.apply(request);
        if (filter != null) {
            try {
                filter.doFilter(request, new HeadersOnly(response), NOBODY);
            } catch (ServletException e) {
                throw new IOException(e);
            }
        }
    }

    /** A response whose status and body are somebody else's. */
    private static final class HeadersOnly extends HttpServletResponseWrapper {

        HeadersOnly(HttpServletResponse response) {
            super(response);
        }

        @Override
        public void setStatus(int status) {
            // the status is that of the refusal
        }

        @Override
        public void flushBuffer() {
            // the body is not written yet
        }

        @Override
        public ServletOutputStream getOutputStream() {
            return NOWHERE;
        }
    }

    private static final ServletOutputStream NOWHERE = new ServletOutputStream() {
        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            // never written to asynchronously
        }

        @Override
        public void write(int b) {
            // a word about a wrong origin
        }
    };
}
