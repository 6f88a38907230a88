package io.github.ratelimit.web;

import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * A response that goes on exposing headers to scripts when the application's own CORS set-up, which comes later, says anew
 * what it exposes.
 */
final class ExposingResponse extends HttpServletResponseWrapper {

    private final String names;

    /**
     * A response.
     *
     * @param names what is exposed as soon as it has been added once
     */
    ExposingResponse(HttpServletResponse response, String names) {
        super(response);
        this.names = names;
    }

    @Override
    public void setHeader(String name, @Nullable String value) {
        boolean exposed = HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS.equalsIgnoreCase(name)
                && getHeaders(name).contains(names)
                && !names.equals(value);
        super.setHeader(name, value);
        if (exposed) {
            addHeader(name, names);
        }
    }
}
