package io.github.ratelimit.actuate;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;

/**
 * The endpoint over the web: knows who asks, and says in the answer why a question was wrong.
 *
 * <p>A path cannot carry every zone and key ({@code /search}, {@code a/b}), so both may be given as parameters instead.
 * An unknown zone is answered 404, a key that no request can have 400.
 */
@EndpointWebExtension(endpoint = RateLimitEndpoint.class)
public final class RateLimitEndpointWebExtension {

    private final RateLimitEndpoint endpoint;

    /** The endpoint over the web. */
    public RateLimitEndpointWebExtension(RateLimitEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    /** All zones and rules; with parameters one zone, or one key. */
    @ReadOperation
    public WebEndpointResponse<Object> limits(SecurityContext reader, @Nullable String zone, @Nullable String key) {
        if (zone != null) {
            return zone(reader, zone, key);
        }
        return key == null
                ? new WebEndpointResponse<>(endpoint.limits())
                : badRequest("A key belongs to a zone: add the parameter zone");
    }

    /** One zone; with a parameter one of its keys. */
    @ReadOperation
    public WebEndpointResponse<Object> zone(SecurityContext reader, @Selector String zone, @Nullable String key) {
        return key == null ? found(endpoint.zone(zone, reader)) : key(reader, zone, key);
    }

    /** One key of a zone. */
    @ReadOperation
    public WebEndpointResponse<Object> key(SecurityContext reader, @Selector String zone, @Selector String key) {
        try {
            return found(endpoint.key(zone, key, reader));
        } catch (InvalidEndpointRequestException e) {
            return badRequest(e.getReason());
        }
    }

    private static WebEndpointResponse<Object> found(@Nullable Object body) {
        return body == null
                ? new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND)
                : new WebEndpointResponse<>(body);
    }

    private static WebEndpointResponse<Object> badRequest(@Nullable String reason) {
        return new WebEndpointResponse<>(
                ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, reason),
                WebEndpointResponse.STATUS_BAD_REQUEST,
                MediaType.APPLICATION_PROBLEM_JSON);
    }
}
