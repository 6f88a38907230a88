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
        // empty and dot segments as names
        "/api/../zz, '', /api/../zz",
        "/api/%2e%2e;x/zz, '', /api/../zz",
        "/api/./login, '', /api/./login",
        "/api/login/., '', /api/login/.",
        "//api/login, '', //api/login",
        "/api//login/, '', /api//login",
        "/api/;x/login, '', /api//login",
        "/t/.%2e, '', /t/..",
        "/ctx/api/../zz, /ctx, /api/../zz",
        // escaped slashes and backslashes as slashes
        "/api%2flogin, '', /api/login",
        "/api/x%2F..%2flogin, '', /api/login",
        "/api/x%5C..%5clogin, '', /api/login",
        "/api\\login, '', /api/login",
        "/api;a/x/..%2Flogin, '', /api/login",
        "/ctx/api%2Flogin, /ctx, /api/login",
        "/ctx%2Fapi/login, /ctx, /api/login",
        // decoded twice
        "/api/%256Cogin, '', /api/login",
        "/api%252Flogin, '', /api/login",
        "/%25%36%31pi/login, '', /api/login",
        // escapes of 16 bits
        "/%u0061pi/l%U006fgin, '', /api/login",
        "/api%u002flogin, '', /api/login",
        "/x/%u002e./api%2Flogin, '', /api/login",
        "/%u006/%u/%u00g0/%2Fx, '', /%25u006/%25u/%25u00g0/x",
        // blanks around a name
        "/%20/api/login, '', /api/login",
        "/%09%7Fapi/%0Dlogin%20, '', /api/login"
    })
    void otherReadingsWhenOddThenAllThatAnyPartMayTakeItFor(String uri, String contextPath, String path) {
        assertThat(RequestPath.otherReadings(uri, contextPath))
                .extracting(RequestPath::value)
                .contains(path);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "",
                "*",
                "/api/login",
                "/api/login/",
                "/api/login//",
                "/%61pi;x/login;y/",
                "//",
                "/caf%C3%A9/a%20b",
                "/a+b/100%25",
                "/a%3Bb/c;d/e;",
                "/a%3Fb"
            })
    void otherReadingsWhenAllReadItAlikeThenNone(String uri) {
        assertThat(RequestPath.otherReadings(uri, "")).isEmpty();
    }

    @Test
    void segmentsWhenRuleThenSpeltAsRequestsAre() {
        assertThat(RequestPath.segments("/tenants/{tenant}/a%2Fb/")).containsExactly("tenants", "{tenant}", "a%2Fb");
        assertThat(RequestPath.segments("/")).isEmpty();
    }

    @Test
    void ofDecodedThenNothingInItIsAnEscape() {
        assertThat(RequestPath.ofDecoded("/a%2Fb/c;d\\e/../f/")).hasToString("/a%252Fb/c%3Bd/f");
        assertThat(RequestPath.ofDecoded("")).isEqualTo(RequestPath.ROOT);
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
