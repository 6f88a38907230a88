package io.github.ratelimit.actuate;

import io.github.ratelimit.store.StoreUnavailableException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;

/**
 * The endpoint over the web: knows who asks, and says in the answer why a question was wrong.
 *
 * <p>A path cannot carry every zone and key ({@code /search}, {@code a/b}), so both may be given as parameters instead.
 * An unknown zone is answered 404, a key that no request can have and a change that cannot be made 400, and what a shared
 * store did not take 503.
 */
@EndpointWebExtension(endpoint = RateLimitEndpoint.class)
public final class RateLimitEndpointWebExtension {

    private static final String WITHOUT_ZONE = "A key belongs to a zone: add the parameter zone";

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
                : problem(HttpStatus.BAD_REQUEST, WITHOUT_ZONE);
    }

    /** One zone; with a parameter one of its keys. */
    @ReadOperation
    public WebEndpointResponse<Object> zone(SecurityContext reader, @Selector String zone, @Nullable String key) {
        return key == null ? found(endpoint.zone(zone, reader)) : key(reader, zone, key);
    }

    /** One key of a zone. */
    @ReadOperation
    public WebEndpointResponse<Object> key(SecurityContext reader, @Selector String zone, @Selector String key) {
        return answered(() -> found(endpoint.key(zone, key, reader)));
    }

    /** Changes the zone that a parameter names. */
    @WriteOperation
    public WebEndpointResponse<Object> changeNamed(
            @Nullable String zone,
            @Nullable String rate,
            @Nullable String burst,
            @Nullable String maxConcurrent,
            @Nullable String maxKeys,
            @Nullable String dryRun) {
        return zone == null
                ? problem(HttpStatus.BAD_REQUEST, "A change belongs to a zone: add the parameter zone")
                : change(zone, rate, burst, maxConcurrent, maxKeys, dryRun);
    }

    /** Changes a zone, and shows it. */
    @WriteOperation
    public WebEndpointResponse<Object> change(
            @Selector String zone,
            @Nullable String rate,
            @Nullable String burst,
            @Nullable String maxConcurrent,
            @Nullable String maxKeys,
            @Nullable String dryRun) {
        return answered(() -> found(endpoint.change(zone, rate, burst, maxConcurrent, maxKeys, dryRun)));
    }

    /** Takes back the changes of the zone that a parameter names, or forgets one of its keys. */
    @DeleteOperation
    public WebEndpointResponse<Object> resetNamed(@Nullable String zone, @Nullable String key) {
        return zone == null
                ? problem(HttpStatus.BAD_REQUEST, "Name what to take back: add the parameter zone")
                : reset(zone, key);
    }

    /** Takes back the changes of a zone; with a parameter forgets one of its keys instead. */
    @DeleteOperation
    public WebEndpointResponse<Object> reset(@Selector String zone, @Nullable String key) {
        return key == null ? done(() -> endpoint.reset(zone)) : forget(zone, key);
    }

    /** Forgets what a key has drawn. */
    @DeleteOperation
    public WebEndpointResponse<Object> forget(@Selector String zone, @Selector String key) {
        return done(() -> endpoint.forget(zone, key));
    }

    private static WebEndpointResponse<Object> done(BooleanSupplier operation) {
        return answered(() -> new WebEndpointResponse<>(
                operation.getAsBoolean()
                        ? WebEndpointResponse.STATUS_NO_CONTENT
                        : WebEndpointResponse.STATUS_NOT_FOUND));
    }

    private static WebEndpointResponse<Object> answered(Supplier<WebEndpointResponse<Object>> operation) {
        try {
            return operation.get();
        } catch (InvalidEndpointRequestException e) {
            return problem(HttpStatus.BAD_REQUEST, e.getReason());
        } catch (StoreUnavailableException e) {
            return problem(
                    HttpStatus.SERVICE_UNAVAILABLE,
                    "The shared store gave no answer: " + e.getMessage() + "; try again");
        }
    }

    private static WebEndpointResponse<Object> found(@Nullable Object body) {
        return body == null
                ? new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND)
                : new WebEndpointResponse<>(body);
    }

    private static WebEndpointResponse<Object> problem(HttpStatus status, @Nullable String reason) {
        return new WebEndpointResponse<>(
                ProblemDetail.forStatusAndDetail(status, reason), status.value(), MediaType.APPLICATION_PROBLEM_JSON);
    }
}
