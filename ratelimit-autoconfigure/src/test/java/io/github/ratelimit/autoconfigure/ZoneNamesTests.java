package io.github.ratelimit.autoconfigure;

import static io.github.ratelimit.autoconfigure.TestConfiguration.zone;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.autoconfigure.PropertiesBinder.Bound;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Names of zones arrive as they were written, or start-up fails (RL-42). */
class ZoneNamesTests {

    @Test
    void checkWhenANameWouldLoseItsSlashesThenItIsAFault() {
        assertThat(TestConfiguration.yaml("ratelimit.zones: {/api/login: {rate: 3/m}}")
                        .bound()
                        .faults())
                .extracting(Object::toString)
                .containsExactly("ratelimit.zones./api/login would lose characters; write the name in quotes and"
                        + " brackets: \"[/api/login]\"");
    }

    @Test
    void checkWhenANameStandsInBracketsThenItIsKept() {
        Bound bound = TestConfiguration.yaml("ratelimit.zones: {'[/v1.0/s (ü)]': {rate: 3/m}}")
                .bound();

        assertThat(bound.faults()).isEmpty();
        assertThat(bound.properties().zones()).containsOnlyKeys("/v1.0/s (ü)");
    }

    @Test
    void checkWhenANameHasUnderscoresOrCapitalsThenItIsKept() {
        Bound bound = TestConfiguration.yaml("ratelimit.zones: {per_ip: {rate: 3/m}, Login2: {rate: 3/m}}")
                .bound();

        assertThat(bound.faults()).isEmpty();
        assertThat(bound.properties().zones()).containsOnlyKeys("per_ip", "Login2");
    }

    @Test
    void checkWhenTwoNamesDifferInSpellingOnlyThenItIsAFault() {
        assertThat(TestConfiguration.yaml("ratelimit.zones: {per-ip: {rate: 3/m}}")
                        .commandLine(Map.of("ratelimit.zones.perIp.burst", "5"))
                        .bound()
                        .faults())
                .hasSize(1)
                .first()
                .asString()
                .contains("ratelimit.zones.per-ip", "'perIp'", "write both alike");
    }

    @Test
    void checkWhenAVariableOverridesASettingThenNoSecondZoneAppears() {
        Bound bound = TestConfiguration.yaml("ratelimit.zones: {per-ip: {rate: 3/m}}")
                .variables(Map.of("RATELIMIT_ZONES_PERIP_BURST", "9"))
                .bound();

        assertThat(bound.faults()).isEmpty();
        assertThat(bound.properties().zones()).containsOnlyKeys("per-ip");
        assertThat(zone(bound.properties(), "per-ip").burst()).isEqualTo(9);
    }

    @Test
    void checkWhenAZoneIsWrittenInVariablesOnlyThenItIsAZone() {
        assertThat(TestConfiguration.yaml("a: b")
                        .variables(Map.of("RATELIMIT_ZONES_LOGIN_RATE", "9/m"))
                        .bound()
                        .properties()
                        .zones())
                .containsOnlyKeys("login");
    }
}
