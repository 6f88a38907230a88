package io.github.ratelimit.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.ratelimit.fixture.WebServer;
import io.github.ratelimit.policy.InvalidPolicyException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The second pass in a real application with Spring Security: before its filter nobody is signed in. */
class SecondPassOrderTests {

    private static final String BY_USER = """
            ratelimit:
              zones:
                user: {key: principal, rate: 5/h}
              rules:
                - {path: /mine, zones: [user]}
            """;

    @ParameterizedTest
    @CsvSource(textBlock = """
            -100, -101
            -100, -100
            -50,  -90
            """)
    void startWhenTheSecondPassIsNotBehindSecurityThenSaysWhatToWrite(int security, int second) {
        assertThatExceptionOfType(InvalidPolicyException.class)
                .isThrownBy(() ->
                        WebServer.start(orders(security, second) + BY_USER).close())
                .satisfies(failure -> assertThat(failure.faults())
                        .singleElement()
                        .asString()
                        .startsWith("ratelimit.filter.authenticated-order is " + second
                                + ", not behind Spring Security's filter, whose order is " + security)
                        .endsWith("; write a number above " + security));
    }

    @Test
    void startWhenTheSecondPassIsJustBehindSecurityThenStarts() {
        try (WebServer server = WebServer.start(orders(-50, -49) + BY_USER)) {
            assertThat(server.get("/mine").statusCode()).isEqualTo(401);
        }
    }

    @Test
    void startWhenNoRuleChargesByPrincipalThenTheOrderDoesNotMatter() {
        String byClient = BY_USER.replace("principal", "client-ip");
        try (WebServer server = WebServer.start(orders(-50, -90) + byClient)) {
            assertThat(server.get("/mine").statusCode()).isEqualTo(401);
        }
    }

    @Test
    void startWhenThereIsNoSecurityFilterThenTheOrderDoesNotMatter() {
        String yaml = orders(-50, -90) + BY_USER + WebServer.WITHOUT_SECURITY;
        try (WebServer server = WebServer.start(yaml)) {
            assertThat(server.get("/mine").statusCode()).isEqualTo(404);
        }
    }

    private static String orders(int security, int second) {
        return "spring.security.filter.order: " + security + "\nratelimit.filter.authenticated-order: " + second + "\n";
    }
}
