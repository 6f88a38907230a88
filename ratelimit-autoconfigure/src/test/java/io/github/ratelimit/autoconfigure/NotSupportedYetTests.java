package io.github.ratelimit.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NotSupportedYetTests {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            reload.location: x              | ratelimit.reload.location is not supported yet; remove it
            reload.interval: 5s             | ratelimit.reload.interval is not supported yet; remove it
            """)
    void checkWhenASettingHasNoImplementationThenItIsAFault(String setting, String fault) {
        assertThat(TestConfiguration.yaml("ratelimit." + setting).faultLines()).containsExactly(fault);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            penalty: {after: 5, within: 1m, ban: 10m, multiplier: 2, max-ban: 24h, permanent-after: 3} | ratelimit.zones[/a].penalty is not supported yet; remove it
            schedule: [{from: "22:00", to: "06:00", time-zone: Asia/Shanghai, rate: 2/s, burst: 5}]    | ratelimit.zones[/a].schedule is not supported yet; remove it
            overrides: [{key: 203.0.113.7, rate: 1/s}, {key: 10.0.0.0/8, unlimited: true}, {key: 198.51.100.0/24, deny: true}] | ratelimit.zones[/a].overrides is not supported yet; remove it
            """)
    void checkWhenASettingOfAZoneHasNoImplementationThenItIsAFault(String setting, String fault) {
        String yaml = "ratelimit.zones:\n  \"[/a]\":\n    rate: 5/s\n    " + setting;

        assertThat(TestConfiguration.yaml(yaml).faultLines()).containsExactly(fault);
    }

    @ParameterizedTest
    @ValueSource(strings = {"schedule: []", "overrides: []", "local-guard:", "delay-after:"})
    void checkWhenASettingIsEmptyThenThereIsNoFault(String setting) {
        assertThat(TestConfiguration.yaml("ratelimit.zones.a:\n  rate: 5/s\n  " + setting)
                        .faultLines())
                .isEmpty();
    }
}
