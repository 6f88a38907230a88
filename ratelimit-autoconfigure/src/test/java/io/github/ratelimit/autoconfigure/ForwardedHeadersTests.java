package io.github.ratelimit.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ForwardedHeadersTests {

    private static final String TRUST = "ratelimit.client-ip.trusted-proxies: 10.0.0.0/8";

    @ParameterizedTest
    @ValueSource(strings = {"native", "NATIVE"})
    void checkWhenTheServerEvaluatesHeadersThenItIsAFault(String strategy) {
        assertThat(TestConfiguration.yaml(TRUST)
                        .commandLine(Map.of("server.forwardHeadersStrategy", strategy))
                        .bound()
                        .faults())
                .extracting(Object::toString)
                .containsExactly("server.forward-headers-strategy is native: the server then replaces the peer's"
                        + " address before ratelimit.client-ip.trusted-proxies is looked at; write none or framework");
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "framework", ""})
    void checkWhenTheServerLeavesHeadersAloneThenThereIsNoFault(String strategy) {
        assertThat(TestConfiguration.yaml(TRUST)
                        .commandLine(Map.of("server.forward-headers-strategy", strategy))
                        .bound()
                        .faults())
                .isEmpty();
    }

    @Test
    void checkWhenNoProxyIsTrustedThenThereIsNoFault() {
        assertThat(TestConfiguration.yaml("server.forward-headers-strategy: native")
                        .bound()
                        .faults())
                .isEmpty();
    }

    @Test
    void checkWhenThePlatformMakesTheServerEvaluateHeadersThenItIsAFault() {
        assertThat(TestConfiguration.yaml(TRUST)
                        .commandLine(Map.of("spring.main.cloud-platform", "kubernetes"))
                        .bound()
                        .faults())
                .hasSize(1)
                .first()
                .asString()
                .startsWith("server.forward-headers-strategy is not set, which means native on KUBERNETES");
    }

    @Test
    void checkWhenTomcatIsToldAHeaderThenItIsAFault() {
        assertThat(TestConfiguration.yaml(TRUST)
                        .commandLine(Map.of("server.tomcat.remoteip.remote-ip-header", "X-Forwarded-For"))
                        .bound()
                        .faults())
                .extracting(fault -> fault.where())
                .containsExactly("server.tomcat.remoteip.remote-ip-header");
    }
}
