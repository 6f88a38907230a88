package io.github.ratelimit.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.autoconfigure.PolicyCompiler.Compiled;
import io.github.ratelimit.policy.Zone;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ZoneCompilerTests {
    @ParameterizedTest
    @CsvSource({"10/s, 10", "0.5/s, 1", "100/15m, 100", "30r/m, 30"})
    void compileWhenNoBurstIsWrittenThenItIsThePermitsOfTheRate(String rate, long burst) {
        Compiled compiled =
                TestConfiguration.yaml("ratelimit.zones.a.rate: " + rate).compiled();

        assertThat(zone(compiled, "a").algorithm().limit()).isEqualTo(burst);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {rate: 0/s}                    | ratelimit.zones.a.rate is '0/s', which is not above zero; write a number, a slash and a period
            {rate: -1/s}                   | ratelimit.zones.a.rate is '-1/s', which is not a rate; write a number, a slash and a period
            {rate: 60}                     | ratelimit.zones.a.rate is '60', which has no period; write a number, a slash and a period
            {rate: 5/0s}                   | ratelimit.zones.a.rate is '5/0s', which is not above zero
            {rate: 5/-5s}                  | ratelimit.zones.a.rate is '5/-5s', which has no period in ms, s, m, h or d
            {rate: 3000000000/s}           | ratelimit.zones.a.rate is '3000000000/s', which is above 1000000/s
            {burst: 5}                     | ratelimit.zones.a.rate is missing; write a number, a slash and a period
            {rate: ''}                     | ratelimit.zones.a.rate is missing; write a number, a slash and a period
            {rate: 5/s, burst: 0}          | ratelimit.zones.a.burst is '0', which is below 1; write
            {rate: 5/s, burst: -1}         | ratelimit.zones.a.burst is '-1', which is below 1; write
            {rate: 1/d, burst: 3000000000} | ratelimit.zones.a.burst is '3000000000', which takes more years to refill
            {rate: 5/s, max-keys: 0}       | ratelimit.zones.a.max-keys is 0; write how many keys it may hold, at least 1
            {rate: 5/s, key: user}         | ratelimit.zones.a.key is 'user', which is no key resolver; write one of client-ip, principal
            {rate: 5/s, key: [method, b]}  | ratelimit.zones.a.key[1] is 'b', which is no key resolver; write one of client-ip, principal
            {rate: 5/s, key: []}           | ratelimit.zones.a.key names no key resolver; write one, such as client-ip
            """)
    void compileWhenAZoneIsWrongThenTheFaultSaysWhatToWrite(String zone, String fault) {
        assertThat(TestConfiguration.yaml("ratelimit.zones.a: " + zone).faultLines())
                .singleElement()
                .asString()
                .startsWith(fault);
    }

    @Test
    void compileWhenThreeBillionAreWrittenThenTheyAreCountedWhole() {
        Compiled compiled = TestConfiguration.yaml("ratelimit.zones.a: {rate: 3000000000/d, burst: 3000000000}")
                .compiled();

        assertThat(compiled.faults()).isEmpty();
        assertThat(zone(compiled, "a").algorithm().limit()).isEqualTo(3_000_000_000L);
    }

    @Test
    void compileWhenAZoneIsNamedByABlankThenItIsAFault() {
        assertThat(TestConfiguration.yaml("ratelimit.zones: {'[ ]': {rate: 1/s}}")
                        .faultLines())
                .singleElement()
                .asString()
                .startsWith("ratelimit.zones[ ] has no name");
    }

    @Test
    void compileWhenPrincipalIsCountedWithoutSpringSecurityThenItIsAFault() {
        TestConfiguration configuration = TestConfiguration.yaml("ratelimit.zones.a: {rate: 1/s, key: principal}");

        assertThat(configuration.faultLines()).isEmpty();
        assertThat(configuration.withoutSecurity().faultLines())
                .singleElement()
                .asString()
                .startsWith("ratelimit.zones.a.key is 'principal', which needs Spring Security");
    }

    @ParameterizedTest
    @CsvSource({"per-ip, ratelimit.zones.per-ip", "Per_ip2, ratelimit.zones.Per_ip2", "[/a.b], ratelimit.zones[/a.b]"})
    void compileWhenAZoneIsWrongThenItsNameIsShownAsItHasToBeWritten(String name, String where) {
        assertThat(TestConfiguration.yaml("ratelimit.zones: {'" + name + "': {rate: 5}}")
                        .faults())
                .extracting(fault -> fault.where())
                .containsExactly(where + ".rate");
    }

    private static Zone zone(Compiled compiled, String name) {
        return Objects.requireNonNull(compiled.zones().get(name), name);
    }
}
