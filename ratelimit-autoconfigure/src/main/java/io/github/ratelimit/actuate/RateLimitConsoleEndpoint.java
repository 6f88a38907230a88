package io.github.ratelimit.actuate;

import jakarta.servlet.http.HttpServletResponse;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.http.HttpHeaders;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * A page for operators over what {@link RateLimitEndpoint} answers. It knows nothing by itself: whoever may read the page but
 * not the endpoint sees an empty one. Safe for use by many threads.
 */
@WebEndpoint(id = "ratelimitconsole", defaultAccess = Access.READ_ONLY)
public final class RateLimitConsoleEndpoint {

    private final ConsolePage page;

    /**
     * A console.
     *
     * @param endpoint the address of {@link RateLimitEndpoint} as seen from the page, such as {@code ratelimit}
     */
    public RateLimitConsoleEndpoint(String endpoint) {
        this.page = ConsolePage.of(endpoint);
    }

    /** The page. */
    @ReadOperation(produces = "text/html;charset=UTF-8")
    public String page() {
        // an operation cannot set headers; the page carries its policy in itself, too, but for what only a header can
        // say
        if (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes
                && attributes.getResponse() != null) {
            protect(attributes.getResponse());
        }
        return page.html();
    }

    private void protect(HttpServletResponse response) {
        response.setHeader("Content-Security-Policy", page.policy());
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("X-Frame-Options", "DENY");
        response.setHeader("Referrer-Policy", "no-referrer");
        response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
    }
}
