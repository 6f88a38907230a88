package io.github.ratelimit.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.ratelimit.fixture.WebServer;
import io.github.ratelimit.policy.InvalidPolicyException;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Wrong settings in a real application, whose server creates most beans before the faults are told: none of them may stumble
 * over a setting first.
 */
class WrongSettingsStartTests {

    private static final String SHARED = """
            spring.data.redis.port: 1
            ratelimit:
              zones:
                z: {key: client-ip, rate: 5/h, store: redis}
              rules:
                - {path: /a, zones: [z]}
            """;

    /** Settings that go wrong together, and the places of their faults. */
    static final List<Wrong> WRONG = List.of(
            new Wrong("ratelimit.redis.timeout: 0ms", "ratelimit.redis.timeout"),
            new Wrong("ratelimit.redis.timeout: -1s", "ratelimit.redis.timeout"),
            new Wrong(
                    """
                    ratelimit.redis: {timeout: 106752d, key-prefix: " ", database: -1, connection-factory: none}
                    ratelimit.client-ip: {trusted-proxies: [here], header: "X Y", ipv4-prefix-length: 33, ipv6-prefix-length: 129}
                    ratelimit.filter: {order: -90, authenticated-order: -110, exclude: [static, "/*", "/{x}", ""]}
                    ratelimit.response.status: 99
                    ratelimit.reload: {interval: 0s, location: "http://localhost/a.yml"}
                    """,
                    "ratelimit.redis.timeout",
                    "ratelimit.redis.key-prefix",
                    "ratelimit.redis.database",
                    "ratelimit.zones.z.store",
                    "ratelimit.client-ip.trusted-proxies[0]",
                    "ratelimit.client-ip.header",
                    "ratelimit.client-ip.ipv4-prefix-length",
                    "ratelimit.client-ip.ipv6-prefix-length",
                    "ratelimit.filter.authenticated-order",
                    "ratelimit.filter.exclude[0]",
                    "ratelimit.filter.exclude[1]",
                    "ratelimit.filter.exclude[2]",
                    "ratelimit.filter.exclude[3]",
                    "ratelimit.response.status",
                    "ratelimit.reload.interval",
                    "ratelimit.reload.location"),
            new Wrong(
                    """
                    ratelimit.redis: {timeout: soon, database: many}
                    ratelimit.client-ip: {trusted-proxies: ["10.0.0.0/99", ""], header: "", ipv4-prefix-length: -1, ipv6-prefix-length: x}
                    ratelimit.filter: {order: first, exclude: ["/%zz", "/a/../b"]}
                    ratelimit.response: {status: many, headers: some, expose-to: nobody, cors-expose: perhaps}
                    ratelimit.reload: {interval: 9223372036854775807s, location: "%"}
                    ratelimit.dry-run: perhaps
                    """,
                    "ratelimit.redis.timeout",
                    "ratelimit.redis.database",
                    "ratelimit.client-ip.trusted-proxies[0]",
                    "ratelimit.client-ip.trusted-proxies[1]",
                    "ratelimit.client-ip.header",
                    "ratelimit.client-ip.ipv4-prefix-length",
                    "ratelimit.client-ip.ipv6-prefix-length",
                    "ratelimit.filter.order",
                    "ratelimit.response.status",
                    "ratelimit.response.headers",
                    "ratelimit.response.expose-to",
                    "ratelimit.response.cors-expose",
                    "ratelimit.reload.interval",
                    "ratelimit.dry-run"));

    private record Wrong(String yaml, List<String> places) {

        Wrong(String yaml, String... places) {
            this(yaml, List.of(places));
        }
    }

    @ParameterizedTest
    @FieldSource("WRONG")
    void startWhenSettingsAreWrongThenAllFaultsAreTold(Wrong wrong) {
        assertThatThrownBy(() -> WebServer.start(SHARED + wrong.yaml()).close())
                .isInstanceOfSatisfying(
                        InvalidPolicyException.class,
                        failure -> assertThat(failure.faults())
                                .extracting(InvalidPolicyException.Fault::where)
                                .containsAll(wrong.places()));
    }
}
