package io.github.ratelimit.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestPathTests {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/login",
                "/api/login/",
                "/api/login;x=1",
                "/api;x/login",
                "/api/%6cogin",
                "/%61pi/login",
                "//api//login",
                "/api/login;",
                "/;/api/login",
                "/api/./login",
                "/api/x/../login",
                "/api/x/%2e%2E/login",
                "/api/.;a=b/login",
                "/api/x/..;a=b/login",
                "/api/x/%2e%2e;a/login;b=c",
                "/../api/login",
                "/../../api/login",
                "/api/login/.",
                "/api/login/x/..",
                "/api;a=%2F;b/login",
                "/%61%70%69/%6C%6f%67%69%6E//",
                "api/login",
                "/./api/login"
            })
    void ofWhenAnySpellingThenOnePath(String uri) {
        assertThat(RequestPath.of(uri, "")).hasToString("/api/login");
    }

    @ParameterizedTest
    @CsvSource({
        "'', /",
        "/, /",
        "//, /",
        "/;x, /",
        "/.., /",
        "/../.., /",
        "/a/.., /",
        "*, /*",
        "/API/Login, /API/Login",
        "/api/loginx, /api/loginx",
        "/...., /....",
        "/.well-known/x, /.well-known/x",
        "/..a/.b, /..a/.b",
        // a slash within a segment does not part it
        "/a%2Fb, /a%2Fb",
        "/a%2fb/c, /a%2Fb/c",
        "/a%252Fb, /a%252Fb",
        "/a%2F..%2Fb, /a%2F..%2Fb",
        // an escaped semicolon is no parameter
        "/a%3Bb, /a%3Bb",
        "/a%3bb;c, /a%3Bb",
        // decoded once only
        "/%2561pi, /%2561pi",
        "/%252e%252e/x, /%252e%252e/x",
        // escapes that are none
        "/100%, /100%25",
        "/100%25, /100%25",
        "/%, /%25",
        "/%4, /%254",
        "/%zz/x, /%25zz/x",
        "/%+1, /%25+1",
        "/a+b, /a+b",
        "/a%20b, '/a b'",
        "/%EF%BC%A1, /\uff21",
        "/%\uff11\uff11, /%25\uff11\uff11",
        // text beyond ASCII
        "/caf%C3%A9, /caf\u00e9",
        "/caf\u00e9, /caf\u00e9",
        "/%F0%9F%98%80, /\ud83d\ude00",
        "/\ud83d\ude00, /\ud83d\ude00",
        "/\ud83d\ude00%41\ud83d\ude00, /\ud83d\ude00A\ud83d\ude00",
        // no UTF-8
        "/%ff, /\ufffd",
        "/%C3/x, /\ufffd/x",
        "/%C3x, /\ufffdx",
        "/%C0%AE%C0%AE/x, /\ufffd\ufffd\ufffd\ufffd/x"
    })
    void ofWhenAwkwardThenOneSpelling(String uri, String path) {
        assertThat(RequestPath.of(uri, "")).hasToString(path);
        assertThat(RequestPath.of(path, "")).hasToString(path);
    }

    @ParameterizedTest
    @CsvSource({
        "/ctx/api/login, /ctx, /api/login",
        "/ctx;x/api/login, /ctx;x, /api/login",
        "/ctx;x/api/login, /ctx, /api/login",
        "/%63tx/api/login, /%63tx, /api/login",
        "/%63tx/api/login, /ctx, /api/login",
        "//ctx/api/login, /ctx, /api/login",
        "/x/../ctx/api/login, /x/../ctx, /api/login",
        "/ctx, /ctx, /",
        "/ctx/, /ctx, /",
        "/a/b/api, /a/b, /api",
        "/ctxx/api, /ctx, /ctxx/api",
        "/other, /ctx, /other",
        "/ctx/ctx/api, /ctx, /ctx/api",
        "/api, /, /api",
        "/caf%C3%A9/api, /caf\u00e9, /api"
    })
    void ofWhenBelowAContextPathThenWithoutIt(String uri, String contextPath, String path) {
        assertThat(RequestPath.of(uri, contextPath)).hasToString(path);
    }

    @ParameterizedTest
    @CsvSource({
        "/api/../zz, '', /api/../zz",
        "/api/%2e%2e;x/zz, '', /api/../zz",
        "/api/./login, '', /api/./login",
        "/api/login/., '', /api/login/.",
        "//api/login, '', //api/login",
        "/api//login/, '', /api//login",
        "/api/;x/login, '', /api//login",
        "/t/.%2e, '', /t/..",
        "/ctx/api/../zz, /ctx, /api/../zz",
        "/x/../ctx/api/zz, /x/../ctx, /api/zz"
    })
    void literalWhenEmptyOrDotSegmentsThenTakenForNames(String uri, String contextPath, String path) {
        assertThat(RequestPath.literal(uri, contextPath)).hasToString(path);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "", "*", "/api/login", "/api/login/", "/api/login//", "/%61pi;x/login;y/", "//"})
    void literalWhenBothReadingsAreTheSameThenNull(String uri) {
        assertThat(RequestPath.literal(uri, "")).isNull();
    }

    @Test
    void segmentsWhenRuleThenSpeltAsRequestsAre() {
        assertThat(RequestPath.segments("/tenants/{tenant}/a%2Fb/")).containsExactly("tenants", "{tenant}", "a%2Fb");
        assertThat(RequestPath.segments("/")).isEmpty();
    }

    @Test
    void ofWhenAppliedTwiceThenSamePath() {
        Random random = new Random(5);
        String alphabet = "/ab.;%25ef2FC3\u00e9";
        for (int i = 0; i < 20_000; i++) {
            StringBuilder uri = new StringBuilder("/");
            for (int length = random.nextInt(24); length > 0; length--) {
                uri.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            RequestPath path = RequestPath.of(uri.toString(), "");
            assertThat(RequestPath.of(path.value(), "")).as(uri.toString()).isEqualTo(path);
            assertThat(path.value()).startsWith("/").doesNotContain("//");
        }
    }
}
