package io.github.ratelimit.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.Decision;
import io.github.ratelimit.Decision.Outcome;
import io.github.ratelimit.Decision.Reason;
import io.github.ratelimit.key.CidrBlock;
import io.github.ratelimit.key.ClientAddress;
import io.github.ratelimit.web.QuotaHeaders.Audience;
import io.github.ratelimit.web.QuotaHeaders.Format;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class QuotaHeadersTests {

    private static final ClientAddress CLIENTS =
            new ClientAddress(List.of(CidrBlock.parse("10.0.0.0/8")), "X-Forwarded-For", 32, 64);

    private final MockHttpServletRequest request = new MockHttpServletRequest();
    private final MockHttpServletResponse response = new MockHttpServletResponse();

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\'', nullValues = "-", textBlock = """
            zone     | 20 | 19 | 2s    | 100ms | -    | "zone";q=20;w=2    | "zone";r=19;t=1
            zone     | 20 | 0  | 2s    | 2s    | 1ms  | "zone";q=20;w=2    | "zone";r=0;t=1
            zone     | 1  | 0  | 1d    | 23h   | 23h  | "zone";q=1;w=86400 | "zone";r=0;t=82800
            slots    | 3  | 2  | 0s    | 0s    | -    | "slots";q=3        | "slots";r=2;t=0
            GET /a   | 20 | 20 | 2s    | 0s    | -    | "GET /a";q=20;w=2  | "GET /a";r=20;t=0
            a"b\\c   | 20 | 20 | 2s    | 0s    | -    | "a\\"b\\\\c";q=20;w=2 | "a\\"b\\\\c";r=20;t=0
            """)
    void writeWhenDraft11ThenAsTheDraftSays(
            String zone,
            long limit,
            long remaining,
            String window,
            String resetAfter,
            @Nullable String retryAfter,
            String policy,
            String quota) {
        headers(Format.DRAFT_11, Audience.EVERYONE, false)
                .write(request, response, decision(zone, limit, remaining, window, resetAfter, retryAfter));

        assertThat(response.getHeaders("RateLimit-Policy")).containsExactly(policy);
        assertThat(response.getHeaders("RateLimit")).containsExactly(quota);
        assertThat(response.getHeaderNames()).hasSize(2);
    }

    /** A structured field has no other characters; names that differ still do. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            größe     | "gr%C3%B6%C3%9Fe"
            grüße     | "gr%C3%BC%C3%9Fe"
            gr%C3%BCe | "gr%25C3%25BCe"
            50% off   | "50% off"
            100%      | "100%"
            5%é       | "5%%C3%A9"
            登录      | "%E7%99%BB%E5%BD%95"
            \uD83D\uDE80x | "%F0%9F%9A%80x"
            """)
    void writeWhenDraft11AndTheNameIsNotPlainThenNamesStayDistinct(String zone, String name) {
        headers(Format.DRAFT_11, Audience.EVERYONE, false)
                .write(request, response, decision(zone, 20, 20, "2s", "0s", null));

        assertThat(response.getHeader("RateLimit-Policy")).isEqualTo(name + ";q=20;w=2");
        assertThat(response.getHeader("RateLimit")).isEqualTo(name + ";r=20;t=0");
    }

    @Test
    void writeWhenLegacyThenResetIsInSecondsUntilTheQuotaIsWhole() {
        headers(Format.LEGACY, Audience.EVERYONE, false)
                .write(request, response, decision("zone", 20, 0, "2s", "1900ms", "100ms"));

        assertThat(response.getHeader("X-RateLimit-Limit")).isEqualTo("20");
        assertThat(response.getHeader("X-RateLimit-Remaining")).isEqualTo("0");
        assertThat(response.getHeader("X-RateLimit-Reset")).isEqualTo("2");
        assertThat(response.getHeaderNames()).hasSize(3);
    }

    /** Decided without a look at the key's quota, or free of any limit: there is no quota to tell of. */
    @ParameterizedTest
    @CsvSource(nullValues = "-", textBlock = """
            PERMITTED,        STORE_FAILURE, 20, -
            REJECTED,         STORE_FAILURE, 20, 5s
            DRY_RUN_REJECTED, STORE_FAILURE, 20, 5s
            REJECTED,         MISSING_KEY,   20, -
            DRY_RUN_REJECTED, MISSING_KEY,   20, -
            REJECTED,         FULL,          20, 1s
            REJECTED,         DENIED,        20, -
            REJECTED,         PENALTY,       20, -
            REJECTED,         LIMIT,         20, -
            PERMITTED,        -,             9223372036854775807, -
            """)
    void writeWhenNothingWasCountedThenSaysNothing(
            Outcome outcome, @Nullable Reason reason, long limit, @Nullable String retryAfter) {
        Duration wait = retryAfter == null ? null : duration(retryAfter);
        Decision uncounted =
                new Decision(outcome, "zone", reason, limit, 0, Duration.ZERO, Duration.ZERO, wait, Duration.ZERO);
        for (Format format : Format.values()) {
            headers(format, Audience.EVERYONE, false).write(request, response, uncounted);
        }
        assertThat(response.getHeaderNames()).isEmpty();
    }

    /** A refusal that was counted tells of the quota, whatever it was for. */
    @ParameterizedTest
    @CsvSource(nullValues = "-", textBlock = """
            LIMIT,   10m
            SHARED,  10m
            PENALTY, 10m
            COST,    -
            """)
    void writeWhenRefusedByWhatWasCountedThenTellsTheQuota(Reason reason, @Nullable String retryAfter) {
        Duration wait = retryAfter == null ? null : duration(retryAfter);
        Decision refused = new Decision(
                Outcome.REJECTED, "zone", reason, 20, 0, Duration.ofSeconds(2), duration("10m"), wait, Duration.ZERO);
        headers(Format.LEGACY, Audience.EVERYONE, false).write(request, response, refused);
        assertThat(response.getHeader("X-RateLimit-Reset")).isEqualTo("600");
    }

    @Test
    void writeWhenWrittenAgainThenTheLaterDecisionReplacesTheEarlier() {
        QuotaHeaders headers = headers(Format.DRAFT_11, Audience.EVERYONE, true);
        request.addHeader("Origin", "http://app.example");
        for (String zone : List.of("first", "second")) {
            headers.write(request, response, decision(zone, 20, 20, "2s", "0s", null));
        }
        assertThat(response.getHeaders("RateLimit")).containsExactly("\"second\";r=20;t=0");
        assertThat(response.getHeaders("Access-Control-Expose-Headers"))
                .containsExactly("RateLimit, RateLimit-Policy, Retry-After");
    }

    @ParameterizedTest
    @CsvSource(nullValues = "-", textBlock = """
            EVERYONE,        192.0.2.1, -,     true
            AUTHENTICATED,   192.0.2.1, -,     false
            AUTHENTICATED,   192.0.2.1, alice, true
            TRUSTED_PROXIES, 192.0.2.1, alice, false
            TRUSTED_PROXIES, 10.1.2.3,  -,     true
            """)
    void writeThenOnlyTheAudienceSeesThem(Audience audience, String peer, @Nullable String user, boolean seen) {
        request.setRemoteAddr(peer);
        request.setUserPrincipal(user == null ? null : () -> user);

        headers(Format.LEGACY, audience, false).write(request, response, decision("zone", 1, 1, "1s", "0s", null));

        assertThat(response.containsHeader("X-RateLimit-Limit")).isEqualTo(seen);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            NONE     | true  | true  | Retry-After
            DRAFT_11 | true  | true  | RateLimit, RateLimit-Policy, Retry-After
            LEGACY   | true  | true  | X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After
            LEGACY   | false | true  |
            LEGACY   | true  | false |
            """)
    void writeWhenExposedThenScriptsOfOtherOriginsMayReadThem(
            Format format, boolean exposed, boolean otherOrigin, @Nullable String names) {
        if (otherOrigin) {
            request.addHeader("Origin", "http://app.example");
        }
        response.addHeader("Access-Control-Expose-Headers", "X-Total");

        headers(format, Audience.EVERYONE, exposed).write(request, response, decision("zone", 1, 1, "1s", "0s", null));

        assertThat(response.getHeaders("Access-Control-Expose-Headers"))
                .isEqualTo(names == null ? List.of("X-Total") : List.of("X-Total", names));
    }

    private static QuotaHeaders headers(Format format, Audience audience, boolean exposed) {
        return new QuotaHeaders(format, audience, exposed, CLIENTS);
    }

    private static Decision decision(
            String zone, long limit, long remaining, String window, String resetAfter, @Nullable String retryAfter) {
        return new Decision(
                retryAfter == null ? Outcome.PERMITTED : Outcome.REJECTED,
                zone,
                retryAfter == null ? null : Reason.LIMIT,
                limit,
                remaining,
                duration(window),
                duration(resetAfter),
                retryAfter == null ? null : duration(retryAfter),
                Duration.ZERO);
    }

    private static Duration duration(String text) {
        return DurationStyle.SIMPLE.parse(text);
    }
}
