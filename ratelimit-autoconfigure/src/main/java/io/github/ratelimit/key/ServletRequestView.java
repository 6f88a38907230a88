package io.github.ratelimit.key;

import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A servlet request as the resolvers see it; path and client are worked out once. */
public final class ServletRequestView implements RequestView {

    /** Where Spring MVC keeps the path variables of the handler it has chosen. */
    private static final String HANDLER_VARIABLES =
            "org.springframework.web.servlet.HandlerMapping.uriTemplateVariables";

    private final HttpServletRequest request;
    private final ClientAddress clients;
    private final RequestPath path;
    private List<String> rule = List.of();
    private @Nullable IpAddress client;
    private boolean clientKnown;

    /**
     * A view of a request.
     *
     * @param clients tells who the client is
     */
    public ServletRequestView(HttpServletRequest request, ClientAddress clients) {
        this.request = request;
        this.clients = clients;
        // The context path of the request, not of the servlet context: a filter in front may have changed both.
        this.path = RequestPath.of(request.getRequestURI(), request.getContextPath());
    }

    /**
     * The path with its empty and dot segments taken for names, as Spring MVC's path patterns take them; {@code null} when
     * it has none. The handler may be one that only this reading leads to, so the rules of both readings count.
     */
    public @Nullable RequestPath literalPath() {
        return RequestPath.literal(request.getRequestURI(), request.getContextPath());
    }

    /** Lets the variables of a rule be read: its path, such as {@code /tenants/{tenant}}. */
    public void matched(String rulePath) {
        rule = rulePath.indexOf('{') < 0 ? List.of() : RequestPath.segments(rulePath);
    }

    @Override
    public HttpServletRequest request() {
        return request;
    }

    @Override
    public RequestPath path() {
        return path;
    }

    @Override
    public String method() {
        String method = request.getMethod();
        return "HEAD".equals(method) ? "GET" : method;
    }

    @Override
    public @Nullable IpAddress client() {
        if (!clientKnown) {
            client = clients.of(request);
            clientKnown = true;
        }
        return client;
    }

    @Override
    public @Nullable String pathVariable(String name) {
        if (request.getAttribute(HANDLER_VARIABLES) instanceof Map<?, ?> variables
                && variables.get(name) instanceof String value) {
            return value;
        }
        int index = rule.indexOf("{" + name + "}");
        List<String> segments = index < 0 ? List.of() : RequestPath.segments(path.value());
        return index < 0 || index >= segments.size() ? null : RequestPath.decoded(segments.get(index));
    }
}
