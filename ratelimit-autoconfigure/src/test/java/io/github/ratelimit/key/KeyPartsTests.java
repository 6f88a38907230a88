package io.github.ratelimit.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.ratelimit.KeyResolver;
import jakarta.servlet.http.Cookie;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;

class KeyPartsTests {

    private static final ClientAddress CLIENTS = new ClientAddress(List.of(), "X-Forwarded-For", 32, 64);

    private final MockHttpServletRequest request = new MockHttpServletRequest("GET", "/api/login");

    @ParameterizedTest
    @CsvSource({
        "client-ip, client-ip",
        "' client-ip ', client-ip",
        "principal, principal",
        "header:X-Api-Key, header:X-Api-Key",
        "header: X-Api-Key, header:X-Api-Key",
        "param:a b, param:a b",
        "param:a:b, param:a:b",
        "cookie:SESSION, cookie:SESSION",
        "path-variable:tenant, path-variable:tenant",
        "method, method",
        "path, path",
        "host, host",
        "global, global",
        "bean:tenants, bean:tenants"
    })
    void ofWhenKnownThenCanonicalName(String name, String canonical) {
        KeyPart part = part(name);
        assertThat(part.name()).isEqualTo(canonical);
        assertThat(part.needsIdentity()).isEqualTo(canonical.equals("principal"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "ip",
                "Client-IP",
                "client_ip",
                "client-ip:x",
                "global:",
                "user",
                "#tenant",
                ":x",
                "headers:X"
            })
    void ofWhenUnknownThenSaysWhatToWrite(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> part(name))
                .withMessageStartingWith("is no key resolver; write one of client-ip, principal, header:NAME, ");
    }

    @ParameterizedTest
    @CsvSource({
        "header, header:NAME",
        "param, param:NAME",
        "cookie, cookie:NAME",
        "path-variable, path-variable:NAME",
        "bean, bean:NAME",
        "header:, header:NAME",
        "'header: ', header:NAME",
        "header:X Api Key, header:NAME",
        "header:X:Y, header:NAME",
        "header:Schl\u00fcssel, header:NAME",
        "param:, param:NAME",
        "cookie:, cookie:NAME",
        "cookie:a=b, cookie:NAME",
        "path-variable:, path-variable:NAME",
        "path-variable:{tenant}, path-variable:NAME",
        "bean:, bean:NAME",
        "bean:unknown, io.github.ratelimit.KeyResolver"
    })
    void ofWhenNameIsMissingOrWrongThenSaysWhatToWrite(String name, String advice) {
        assertThatIllegalArgumentException().isThrownBy(() -> part(name)).withMessageContaining(advice);
    }

    @Test
    void clientIpWhenPeerHasAddressThenItsKey() {
        request.setRemoteAddr("::ffff:203.0.113.7");
        assertThat(resolve("client-ip")).isEqualTo(part("client-ip").ofRaw("203.0.113.7"));
        request.setRemoteAddr("");
        assertThat(resolve("client-ip")).isNull();
    }

    @Test
    void principalWhenLoggedInThenItsName() {
        assertThat(resolve("principal")).isNull();
        request.setUserPrincipal(() -> " ");
        assertThat(resolve("principal")).isNull();
        request.setUserPrincipal(() -> "203.0.113.7");
        assertThat(resolve("principal"))
                .isEqualTo(RateLimitKey.ofText("203.0.113.7"))
                .isEqualTo(part("principal").ofRaw("203.0.113.7"))
                .isNotEqualTo(part("client-ip").ofRaw("203.0.113.7"));
    }

    @Test
    void headerWhenSeveralLinesThenDigestOfTheFirst() {
        assertThat(resolve("header:X-Api-Key")).isNull();
        request.addHeader("X-API-KEY", "s3cret");
        request.addHeader("X-API-KEY", "other");
        assertThat(resolve("header:X-Api-Key"))
                .isEqualTo(RateLimitKey.ofSecret("s3cret"))
                .isEqualTo(part("header:X-Api-Key").ofRaw("s3cret"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t"})
    void headerWhenBlankThenMissing(String value) {
        request.addHeader("X-Api-Key", value);
        assertThat(resolve("header:X-Api-Key")).isNull();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> part("header:X-Api-Key").ofRaw(value));
    }

    @ParameterizedTest(name = "{0} of {1} is {2}")
    @CsvSource(
            nullValues = "-",
            value = {
                "id, -, -",
                "id, '', -",
                "id, id=5, 5",
                "id, id=5&id=6, 5",
                "id, a=1&id=5, 5",
                "id, xid=1&idx=2&id=5, 5",
                "id, %69d=5, 5",
                "id, i%64=5&id=6, 5",
                "id, ID=5, -",
                "id, id, -",
                "id, id=, -",
                "id, id=&id=5, -",
                "id, id=+, -",
                "id, id=%20, -",
                "id, &&id=5&, 5",
                "id, =7&id=5, 5",
                "id, id=a=b, a=b",
                "id, id=a+b%2B%26, a b+&",
                "id, id=caf%C3%A9, caf\u00e9",
                "id, id=%F0%9F%98%80, \ud83d\ude00",
                "id, id=100%, 100%",
                "id, id=%zz, %zz",
                "id, id=%ff, \ufffd",
                "id, a;id=5, -",
                "a b, a+b=5, 5",
                "a b, a%20b=5, 5",
                "a+b, a%2Bb=5, 5",
                "a+b, a+b=5, -"
            })
    void paramWhenQueryStringThenFirstValueDecoded(String name, @Nullable String query, @Nullable String value) {
        request.setQueryString(query);
        assertThat(resolve("param:" + name)).isEqualTo(value == null ? null : RateLimitKey.ofSecret(value));
        if (value != null) {
            assertThat(part("param:" + name).ofRaw(value)).isEqualTo(RateLimitKey.ofSecret(value));
        }
    }

    @Test
    void paramWhenOnlyInTheBodyThenMissing() {
        request.setMethod("POST");
        request.addParameter("id", "5");
        assertThat(resolve("param:id")).isNull();
    }

    @Test
    void cookieWhenPresentThenDigestOfTheFirst() {
        assertThat(resolve("cookie:SESSION")).isNull();
        request.setCookies(new Cookie("session", "x"), new Cookie("SESSION", "s1"), new Cookie("SESSION", "s2"));
        assertThat(resolve("cookie:SESSION"))
                .isEqualTo(RateLimitKey.ofSecret("s1"))
                .isEqualTo(part("cookie:SESSION").ofRaw("s1"));
        request.setCookies(new Cookie("SESSION", ""));
        assertThat(resolve("cookie:SESSION")).isNull();
    }

    @Test
    void pathVariableWhenRuleHasItThenItsValue() {
        request.setRequestURI("/tenants/ac%6de/x");
        ServletRequestView view = new ServletRequestView(request, CLIENTS);
        assertThat(part("path-variable:tenant").resolve(view)).isNull();
        view.matched("/tenants/{tenant}", view.path());
        assertThat(part("path-variable:tenant").resolve(view))
                .isEqualTo(RateLimitKey.ofText("acme"))
                .isEqualTo(part("path-variable:tenant").ofRaw("acme"));
    }

    @ParameterizedTest
    @CsvSource({"GET, GET", "HEAD, GET", "CONNECT, GET", "POST, POST", "BREW, OTHER", "get, OTHER", "PROPFIND, OTHER"})
    void methodWhenInventedThenAllShareOneKey(String method, String key) {
        request.setMethod(method);
        assertThat(resolve("method"))
                .isEqualTo(RateLimitKey.ofText(key))
                .isEqualTo(part("method").ofRaw(method));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/login", "/api//%6cogin;x/"})
    void pathWhenAnySpellingThenOneKey(String uri) {
        request.setRequestURI(uri);
        assertThat(resolve("path"))
                .isEqualTo(RateLimitKey.ofText("/api/login"))
                .isEqualTo(part("path").ofRaw(uri));
    }

    @ParameterizedTest
    @CsvSource({
        "example.com, example.com",
        "EXAMPLE.com, example.com",
        "EXAMPLE.com:8080, example.com",
        "example.com., example.com",
        "example.com.:80, example.com",
        "[2001:DB8::1]:80, [2001:db8::1]",
        "[2001:DB8::1], [2001:db8::1]",
        "2001:DB8::1, 2001:db8::1",
        "., ."
    })
    void hostWhenAnySpellingThenOneKey(String host, String key) {
        request.setServerName(host);
        assertThat(resolve("host"))
                .isEqualTo(RateLimitKey.ofText(key))
                .isEqualTo(part("host").ofRaw(host));
    }

    @Test
    void globalWhenAnyRequestThenOneKey() {
        assertThat(resolve("global")).isEqualTo(part("global").ofRaw("global"));
        assertThatIllegalArgumentException().isThrownBy(() -> part("global").ofRaw("other"));
    }

    @Test
    void beanWhenItResolvesThenItsText() {
        assertThat(resolve("bean:tenants")).isNull();
        request.addHeader("X-Tenant", " ");
        assertThat(resolve("bean:tenants")).isNull();
        request.removeHeader("X-Tenant");
        request.addHeader("X-Tenant", "acme");
        assertThat(resolve("bean:tenants"))
                .isEqualTo(RateLimitKey.ofText("acme"))
                .isEqualTo(part("bean:tenants").ofRaw("acme"));
    }

    private @Nullable RateLimitKey resolve(String name) {
        return part(name).resolve(new ServletRequestView(request, CLIENTS));
    }

    private static KeyPart part(String name) {
        Map<String, KeyResolver> beans = Map.of("tenants", request -> request.getHeader("X-Tenant"));
        return KeyParts.of(name, CLIENTS, beans::get);
    }
}
