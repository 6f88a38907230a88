package io.github.ratelimit.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.policy.InvalidPolicyException;
import io.github.ratelimit.policy.InvalidPolicyException.Fault;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

class InvalidPolicyFailureAnalyzerTests {

    @Test
    void analyzeWhenThereAreManyFaultsThenEachHasItsLine() {
        FailureAnalysis analysis = analyze(new InvalidPolicyException(List.of(
                new Fault("ratelimit.zones.a.rate", "is missing; write 10/s"),
                new Fault("ratelimit.rules[0].path", "is missing; write /api"))));

        assertThat(analysis.getDescription().lines())
                .containsExactly(
                        "The rate limits cannot be put in force, because of 2 faults in their configuration:",
                        "",
                        "    - ratelimit.zones.a.rate is missing; write 10/s",
                        "    - ratelimit.rules[0].path is missing; write /api");
        assertThat(analysis.getAction()).isEqualTo("Correct each of them as it says.");
    }

    @Test
    void analyzeWhenThereIsOneFaultThenItIsSpokenOfAsOne() {
        FailureAnalysis analysis = analyze(new InvalidPolicyException(List.of(new Fault("ratelimit.rulse", "is new"))));

        assertThat(analysis.getDescription()).contains("because of one fault in their configuration");
        assertThat(analysis.getAction()).isEqualTo("Correct it as it says.");
    }

    @Test
    void analyzerWhenBootLooksForOnesThenItIsFound() {
        assertThat(SpringFactoriesLoader.forDefaultResourceLocation()
                        .load(FailureAnalyzer.class, FailureHandler.handleMessage((message, failure) -> {})))
                .hasAtLeastOneElementOfType(InvalidPolicyFailureAnalyzer.class);
    }

    private static FailureAnalysis analyze(InvalidPolicyException cause) {
        return Objects.requireNonNull(
                new InvalidPolicyFailureAnalyzer().analyze(new IllegalStateException("context failed", cause)));
    }
}
