package io.github.ratelimit;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Says who is counted: a bean that a zone names as {@code key: bean:NAME}.
 *
 * <p>Called on the request thread, by many threads at once, for every request that the zone is charged for; it should
 * not wait. It must not read the body of the request. A resolver that throws an exception has found no key; that is counted,
 * and logged at most once a minute.
 */
@FunctionalInterface
public interface KeyResolver {

    /**
     * The key of a request.
     *
     * @param request the request, as the filter received it
     * @return the key; {@code null} or blank when the request has none, which the zone's {@code missing-key} decides
     */
    @Nullable
    String resolve(HttpServletRequest request);
}
