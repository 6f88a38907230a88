package io.github.ratelimit.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NotSupportedYetTests {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            redis.key-prefix: x             | ratelimit.redis.key-prefix is not supported yet; remove it
            redis.database: 1               | ratelimit.redis.database is not supported yet; remove it
            redis.timeout: 100ms            | ratelimit.redis.timeout is not supported yet; remove it
            redis.connection-factory: x     | ratelimit.redis.connection-factory is not supported yet; remove it
            """)
    void checkWhenASettingHasNoImplementationThenItIsAFault(String setting, String fault) {
        assertThat(TestConfiguration.yaml("ratelimit." + setting).faultLines()).containsExactly(fault);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            store: redis                | ratelimit.zones[/a].store is 'redis', which is not supported yet; write local
            on-store-failure: local     | ratelimit.zones[/a].on-store-failure is not supported yet; remove it
            local-guard: 50/s           | ratelimit.zones[/a].local-guard is not supported yet; remove it
            lease: 1                    | ratelimit.zones[/a].lease is not supported yet; remove it
            """)
    void checkWhenASettingOfAZoneHasNoImplementationThenItIsAFault(String setting, String fault) {
        String yaml = "ratelimit.zones:\n  \"[/a]\":\n    rate: 5/s\n    " + setting;

        assertThat(TestConfiguration.yaml(yaml).faultLines()).containsExactly(fault);
    }

    @ParameterizedTest
    @ValueSource(strings = {"local-guard:", "delay-after:"})
    void checkWhenASettingIsEmptyThenThereIsNoFault(String setting) {
        assertThat(TestConfiguration.yaml("ratelimit.zones.a:\n  rate: 5/s\n  " + setting)
                        .faultLines())
                .isEmpty();
    }
}
