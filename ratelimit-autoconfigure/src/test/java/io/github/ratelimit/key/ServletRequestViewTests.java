package io.github.ratelimit.key;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.FilterChain;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.filter.ForwardedHeaderFilter;
import org.springframework.web.servlet.HandlerMapping;

class ServletRequestViewTests {

    private static final ClientAddress CLIENTS = new ClientAddress(List.of(), "X-Forwarded-For", 32, 64);

    @ParameterizedTest
    @CsvSource({"HEAD, GET", "CONNECT, GET", "connect, connect", "GET, GET", "POST, POST", "get, get", "BREW, BREW"})
    void methodWhenHandlersForGetAnswerItThenGetElseAsSent(String sent, String method) {
        assertThat(view(new MockHttpServletRequest(sent, "/")).method()).isEqualTo(method);
    }

    @Test
    void pathWhenContextPathThenBelowIt() {
        MockHttpServletRequest request = new MockHttpServletRequest("GET", "/ctx;x/api/login");
        request.setContextPath("/ctx;x");
        assertThat(view(request).path()).hasToString("/api/login");
    }

    @Test
    void pathWhenClientInventsAForwardedPrefixThenAsTheApplicationDispatches() throws Exception {
        MockHttpServletRequest request = new MockHttpServletRequest("GET", "/api/login");
        request.addHeader("X-Forwarded-Prefix", "/public;v=1/%78/..");
        AtomicReference<HttpServletRequest> wrapped = new AtomicReference<>();
        FilterChain chain = (inner, response) -> wrapped.set((HttpServletRequest) inner);
        new ForwardedHeaderFilter().doFilter(request, new MockHttpServletResponse(), chain);

        HttpServletRequest seen = Objects.requireNonNull(wrapped.get());
        assertThat(seen.getRequestURI()).startsWith("/public");
        assertThat(view(seen).path()).hasToString("/api/login");
    }

    @Test
    void otherPathsWhenDotSegmentsThenBothReadings() {
        ServletRequestView view = view(new MockHttpServletRequest("GET", "/api/../zz"));
        assertThat(view.path()).hasToString("/zz");
        assertThat(view.otherPaths()).extracting(RequestPath::value).containsExactly("/api/../zz");
        assertThat(view(new MockHttpServletRequest("GET", "/api/zz")).otherPaths())
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "/api/login, /api/login,,",
        "/api/login, /api, /login,",
        "/, '', /,",
        "/, /,,",
        "/api/login/, /api/login/,,",
        "/100%25, /100%,,",
        "/api/login, /other, /login, /other/login",
        "/api/login, /api/login/, x%y;z, /api/login/x%25y%3Bz"
    })
    void otherPathsWhenTheContainerReadsAnotherThenThatToo(
            String uri, String servletPath, @Nullable String pathInfo, @Nullable String other) {
        MockHttpServletRequest request = new MockHttpServletRequest("GET", uri);
        request.setServletPath(servletPath);
        request.setPathInfo(pathInfo);
        assertThat(view(request).otherPaths())
                .extracting(RequestPath::value)
                .containsExactlyElementsOf(other == null ? List.of() : List.of(other));
    }

    /** As Jetty does, where it is told to serve such paths all the same. */
    @Test
    void otherPathsWhenTheContainerDoesNotTellThenAllThatItMayHaveRead() {
        MockHttpServletRequest request = new MockHttpServletRequest("GET", "/api%2Flo%u0067in") {
            @Override
            public String getServletPath() {
                throw new IllegalArgumentException("Ambiguous URI path separator");
            }
        };
        assertThat(view(request).otherPaths()).extracting(RequestPath::value).contains("/api/login");
    }

    @Test
    void matchedWhenOnAnotherReadingThenKeysAreReadFromThat() {
        ServletRequestView view = view(new MockHttpServletRequest("GET", "/tenants/a/../b"));
        view.matched("/tenants/{tenant}", view.otherPaths().iterator().next());
        assertThat(view.pathVariable("tenant")).isEqualTo("a");
        assertThat(view.path()).hasToString("/tenants/a/../b");
    }

    @Test
    void clientWhenAskedTwiceThenWorkedOutOnce() {
        MockHttpServletRequest request = new MockHttpServletRequest();
        request.setRemoteAddr("203.0.113.5");
        ServletRequestView view = view(request);
        IpAddress client = view.client();
        assertThat(client).hasToString("203.0.113.5");
        assertThat(view.client()).isSameAs(client);
    }

    @ParameterizedTest
    @CsvSource({
        "/tenants/acme/x, acme",
        "/tenants/acme, acme",
        "/tenants;a/%61cme;v=1/x, acme",
        "/tenants/a%2Fb, a/b",
        "/tenants/100%25, 100%",
        "/tenants/a%252Fb, a%2Fb",
        "/tenants/a%3Bb, a;b"
    })
    void pathVariableWhenRuleHasItThenDecodedSegment(String uri, String value) {
        ServletRequestView view = view(new MockHttpServletRequest("GET", uri));
        assertThat(view.pathVariable("tenant")).isNull();
        view.matched("/tenants/{tenant}", view.path());
        assertThat(view.pathVariable("tenant")).isEqualTo(value);
        assertThat(view.pathVariable("other")).isNull();
    }

    @Test
    void pathVariableWhenPathIsShorterThanTheRuleThenNull() {
        ServletRequestView view = view(new MockHttpServletRequest("GET", "/tenants"));
        view.matched("/tenants/{tenant}", view.path());
        assertThat(view.pathVariable("tenant")).isNull();
    }

    @Test
    void pathVariableWhenHandlerIsKnownThenItsVariables() {
        MockHttpServletRequest request = new MockHttpServletRequest("GET", "/codes/a");
        request.setAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE, Map.of("code", "a"));
        assertThat(view(request).pathVariable("code")).isEqualTo("a");
        assertThat(view(request).pathVariable("tenant")).isNull();
    }

    private static ServletRequestView view(HttpServletRequest request) {
        return new ServletRequestView(request, CLIENTS);
    }
}
