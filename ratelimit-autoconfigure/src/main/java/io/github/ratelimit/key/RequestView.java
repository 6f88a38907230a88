package io.github.ratelimit.key;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/** What a key resolver may look at: the request, and what the limiter already knows about it. One thread at a time. */
public interface RequestView {

    /** The request as the filter or interceptor received it. */
    HttpServletRequest request();

    /** The path that the application dispatches on. */
    RequestPath path();

    /** The verb as sent, in whatever case; HEAD and CONNECT are GET. */
    String method();

    /** The client's address cut to its prefix; {@code null} when the container gives none that can be read. */
    @Nullable
    IpAddress client();

    /** The value of a path variable of the rule or handler; {@code null} when there is none of this name. */
    @Nullable
    String pathVariable(String name);
}
