package io.github.ratelimit.key;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A servlet request as the resolvers see it; path and client are worked out once. */
public final class ServletRequestView implements RequestView {

    /** Where Spring MVC keeps the path variables of the handler it has chosen. */
    private static final String HANDLER_VARIABLES =
            "org.springframework.web.servlet.HandlerMapping.uriTemplateVariables";

    private final HttpServletRequest request;
    private final ClientAddress clients;
    private final RequestPath path;
    private RequestPath matched;
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
        this.matched = path;
    }

    /**
     * What else some part of the application may take the path for, however odd: the handler may be one that only such a
     * reading leads to, so the rules of all readings count. Nearly always empty.
     */
    public Collection<RequestPath> otherPaths() {
        Collection<RequestPath> others = RequestPath.otherReadings(request.getRequestURI(), request.getContextPath());
        String servlet;
        String rest;
        try {
            servlet = Objects.requireNonNullElse(request.getServletPath(), "");
            rest = Objects.requireNonNullElse(request.getPathInfo(), "");
        } catch (IllegalArgumentException e) {
            // Jetty does not tell of a path that it takes for ambiguous, and still serves it
            return others;
        }
        if (isRead(servlet, rest)) {
            return others;
        }
        Set<RequestPath> all = new LinkedHashSet<>(others);
        all.add(RequestPath.ofDecoded(servlet + rest));
        all.remove(path);
        return all;
    }

    /** Whether the container, which chooses the servlet, has read the path as we have; where it says nothing, it has. */
    private boolean isRead(String servlet, String rest) {
        String value = path.value();
        int length = servlet.length() + rest.length();
        return length == 0 || (length == value.length() && value.startsWith(servlet) && value.endsWith(rest));
    }

    /**
     * Lets keys be read as a rule has matched.
     *
     * @param rulePath its path, such as {@code /tenants/{tenant}}, whose variables can be read
     * @param reading what the path was taken for
     */
    public void matched(String rulePath, RequestPath reading) {
        rule = rulePath.indexOf('{') < 0 ? List.of() : RequestPath.segments(rulePath);
        matched = reading;
    }

    @Override
    public HttpServletRequest request() {
        return request;
    }

    @Override
    public RequestPath path() {
        return matched;
    }

    @Override
    public String method() {
        return Verb.counted(request.getMethod());
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
        return index < 0 ? null : matched.segment(index);
    }
}
