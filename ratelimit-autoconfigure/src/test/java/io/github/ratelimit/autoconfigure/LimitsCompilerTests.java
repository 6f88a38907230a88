package io.github.ratelimit.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.ratelimit.LimitProvider.Limit;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.autoconfigure.PolicyCompiler.Compiled;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.policy.Allowance;
import io.github.ratelimit.policy.Allowance.Grant;
import io.github.ratelimit.policy.Zone;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LimitsCompilerTests {

    private Instant now = Instant.parse("2026-11-29T14:00:00Z");

    @Test
    void compileWhenTheContractsExampleIsWrittenThenEachLimitIsInForceWhereItBelongs() {
        Zone zone = zone("""
                rate: 10/s
                burst: 20
                schedule:
                  - { from: "22:00", to: "06:00", time-zone: Asia/Shanghai, rate: 2/s, burst: 5 }
                overrides:
                  - { key: "203.0.113.7", rate: 1/s }
                  - { key: "10.0.0.0/8", unlimited: true }
                  - { key: "198.51.100.0/24", deny: true }
                """);

        assertThat(limit(zone, "192.0.2.1")).isEqualTo(5);
        now = Instant.parse("2026-11-29T22:00:00Z");
        assertThat(limit(zone, "192.0.2.1")).isEqualTo(20);
        assertThat(limit(zone, "203.0.113.7")).isEqualTo(1);
        assertThat(granted(zone, "10.77.0.1").grant()).isEqualTo(Grant.UNLIMITED);
        assertThat(granted(zone, "198.51.100.1").grant()).isEqualTo(Grant.DENIED);
        assertThat(zone.algorithm().limit()).isEqualTo(20);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            rate: 10/s                                           | { rate: 1/s }             | 1
            rate: 10/s                                           | { rate: 3/s, burst: 9 }   | 9
            rate: 10/s                                           | { burst: 50 }             | 50
            rate: 10/s, algorithm: leaky-bucket, burst: 7        | { rate: 20/s }            | 1
            rate: 10/s, algorithm: fixed-window                  | { rate: 100/m }           | 100
            algorithm: concurrency, max-concurrent: 4            | { max-concurrent: 2 }     | 2
            """)
    void compileWhenAnOverrideIsALimitThenItIsReadLikeThatOfAZone(String zone, String limit, long expected) {
        String override = limit.replace("{", "{ key: 192.0.2.1,");
        assertThat(limit(zone(zone.replace(", ", "\n") + "\noverrides: [ " + override + " ]"), "192.0.2.1"))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\0', textBlock = """
            overrides: [{ rate: 1/s }]                                        | overrides[0].key is missing; write the key
            overrides: [{ key: alice, rate: 1/s }]                            | overrides[0].key is 'alice', which is not a CIDR block
            overrides: [{ key: "2001:db8::1", deny: true }]                   | overrides[0].key is '2001:db8::1', which is narrower than the IPv6 prefix
            overrides: [{ key: 10.0.0.1 }]                                    | overrides[0] says nothing about its key; write one of a limit
            overrides: [{ key: 10.0.0.1, deny: true, unlimited: true }]       | overrides[0] says several things about its key; write one of
            overrides: [{ key: 10.0.0.1, deny: true, rate: 1/s }]             | overrides[0] says several things about its key; write one of
            overrides: [{ key: 10.0.0.1, rate: 0/s }]                         | overrides[0].rate is '0/s', which is not above zero
            overrides: [{ key: 10.0.0.1, rate: 1/s, max-concurrent: 1 }]                 | overrides[0].max-concurrent has no meaning for this algorithm
            overrides: [{ key: 10.0.0.0/8, deny: true }, { key: 10.1.0.0/8, unlimited: true }] | overrides[1].key is '10.1.0.0/8', which another override names too
            schedule: [{ to: "06:00", rate: 1/s }]                            | schedule[0].from is missing; write a time of day in quotes
            schedule: [{ from: 22:00, to: "06:00", rate: 1/s }]               | schedule[0].from is '1320'; write a time of day in quotes, such as "22:00" (without quotes YAML
            schedule: [{ from: "25:00", to: "06:00", rate: 1/s }]             | schedule[0].from is '25:00'; write a time of day
            schedule: [{ from: "06:00", to: "06:00", rate: 1/s }]             | schedule[0].to is '06:00' like from
            schedule: [{ from: "00:00", to: "00:00", rate: 1/s }]             | schedule[0].to is '00:00' like from
            schedule: [{ from: "24:00", to: "24:00", rate: 1/s }]             | schedule[0].to is '24:00' like from
            schedule: [{ from: "22:00", to: "06:00", time-zone: Mars, rate: 1/s }] | schedule[0].time-zone is 'Mars', which is no time zone
            schedule: [{ from: "22:00", to: "06:00" }]                        | schedule[0] has no limit of its own; write one
            schedule: [{ from: "22:00", to: "06:00", rate: 1 }]               | schedule[0].rate is '1', which has no period
            """)
    void compileWhenSomethingIsWrongThenTheFaultSaysWhatToWrite(String setting, String fault) {
        assertThat(TestConfiguration.yaml("ratelimit.zones.a: { rate: 10/s, " + setting + " }")
                        .faultLines())
                .singleElement()
                .asString()
                .startsWith("ratelimit.zones.a." + fault);
    }

    @Test
    void compileWhenAWindowIsTheWholeDayThenItAlwaysHolds() {
        Zone zone = zone("schedule: [{ from: \"00:00\", to: \"24:00\", rate: 3/s }]\nrate: 10/s");
        assertThat(Objects.requireNonNull(zone.limits().schedule()).now())
                .isNotNull()
                .extracting(allowance -> allowance.algorithm().limit())
                .isEqualTo(3L);
    }

    @Test
    void compileWhenAWindowOrOverrideIsBelowTheCostOfARuleThenItIsAFault() {
        assertThat(TestConfiguration.yaml("""
                        ratelimit:
                          zones:
                            a:
                              rate: 10/s
                              overrides: [{ key: 10.0.0.1, rate: 2/s }]
                              schedule: [{ from: "22:00", to: "24:00", rate: 10/s, burst: 3 }]
                          rules: [{ path: /, zones: [ a ], cost: 5 }]
                        """).faults())
                .extracting(fault -> fault.where())
                .containsExactlyInAnyOrder(
                        "ratelimit.zones.a.overrides[0].burst", "ratelimit.zones.a.schedule[0].burst");
    }

    @Test
    void compileWhenALimitIsWrittenTwiceThenItIsOneObjectSoThatNoStateHasToBeSaidAnew() {
        Zone before = zone("rate: 7/s");
        assertThat(zone("rate: 7/s\nmax-keys: 5").algorithm()).isSameAs(before.algorithm());
        assertThat(zone("rate: 8/s").algorithm()).isNotSameAs(before.algorithm());
    }

    @Test
    void meaningWhenAProvidersLimitCannotBeCountedInRedisThenSaysWhyAndIsNone() {
        Limit limit = Limit.of("1000/s", 9_000_000_000L);
        Map<String, ZoneProperties> zones =
                TestConfiguration.yaml("""
                        ratelimit.zones: {shared: {rate: 5/s, store: redis}, own: {rate: 5/s}}
                        """).bound().properties().zones();
        Algorithm own = zone("rate: 5/s").algorithm();

        assertThat(LimitsCompiler.meaning(limit, Objects.requireNonNull(zones.get("own")), own)
                        .algorithm()
                        .limit())
                .isEqualTo(9_000_000_000L);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LimitsCompiler.meaning(limit, Objects.requireNonNull(zones.get("shared")), own))
                .withMessageContaining("9000000000, more than can be counted in Redis; write at most");
    }

    private Zone zone(String settings) {
        Compiled compiled = TestConfiguration.yaml("ratelimit.zones.a:\n" + settings.indent(2))
                .at(() -> now)
                .compiled();
        assertThat(compiled.faults()).isEmpty();
        return Objects.requireNonNull(compiled.zones().get("a"));
    }

    private static long limit(Zone zone, String client) {
        return granted(zone, client).algorithm().limit();
    }

    private static Allowance granted(Zone zone, String client) {
        RateLimitKey key = zone.key().ofRaw(client);
        return zone.limits().of(key);
    }
}
