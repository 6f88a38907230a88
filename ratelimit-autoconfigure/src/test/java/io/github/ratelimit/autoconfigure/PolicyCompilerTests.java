package io.github.ratelimit.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.autoconfigure.PolicyCompiler.Compiled;
import io.github.ratelimit.key.KeyPlan.MissingKey;
import io.github.ratelimit.policy.Rule;
import io.github.ratelimit.policy.Zone;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PolicyCompilerTests {
    @Test
    void compileWhenRulesChargeZonesThenTheyAreResolvedInOrder() {
        Compiled compiled = TestConfiguration.yaml("""
                        ratelimit:
                          dry-run: true
                          zones:
                            login: {rate: 5/m, dry-run: true}
                            per-key: {key: [header:X-Key, method], rate: 10/s, max-keys: 3, when-full: reject, missing-key: reject}
                            unused: {rate: 1/s}
                          rules:
                            - {path: /api//login/, methods: [post, HEAD, purge], zones: [login, per-key], cost: 2, inherit: true}
                            - {path: "/tenants/{tenant}", zones: login}
                            - {path: /, unlimited: true}
                        """).compiled();

        assertThat(compiled.faults()).isEmpty();
        assertThat(compiled.dryRun()).isTrue();
        assertThat(compiled.zones()).containsOnlyKeys("login", "per-key", "unused");
        assertThat(zone(compiled, "per-key").key().names()).containsExactly("header:X-Key", "method");
        assertThat(zone(compiled, "per-key").key().missing()).isEqualTo(MissingKey.REJECT);
        assertThat(zone(compiled, "per-key").maxKeys()).isEqualTo(3);
        assertThat(zone(compiled, "login").dryRun()).isTrue();
        assertThat(compiled.rules()).extracting(Rule::path).containsExactly("/api/login", "/tenants/{tenant}", "/");
        Rule rule = compiled.rules().get(0);
        assertThat(rule.methods()).containsExactlyInAnyOrder("POST", "GET", "PURGE");
        assertThat(rule.zones()).extracting(Zone::name).containsExactly("login", "per-key");
        assertThat(rule.cost()).isEqualTo(2);
        assertThat(rule.inherit()).isTrue();
        assertThat(compiled.rules().get(2).unlimited()).isTrue();
    }

    @Test
    void compileWhenThereAreManyFaultsThenAllAreNamedAtOnce() {
        assertThat(TestConfiguration.yaml("""
                                ratelimit:
                                  client-ip:
                                    trusted-proxies: [10.0.0.0/8000]
                                  response:
                                    status: 200
                                  zones:
                                    per-ip: {key: clientip, rate: 10}
                                    login: {rate: 5/m, burst: many, max-keys: 0}
                                  rulse: []
                                  rules:
                                    - {path: api/login, zones: [logn]}
                                    - {rate: 5/s}
                                """).faults())
                .extracting(fault -> fault.where())
                .containsExactlyInAnyOrder(
                        "ratelimit.rulse",
                        "ratelimit.zones.login.burst",
                        "ratelimit.client-ip.trusted-proxies[0]",
                        "ratelimit.response.status",
                        "ratelimit.zones.per-ip.key",
                        "ratelimit.zones.per-ip.rate",
                        "ratelimit.zones.login.max-keys",
                        "ratelimit.rules[0].path",
                        "ratelimit.rules[0].zones[0]",
                        "ratelimit.rules[1].path");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            client-ip.trusted-proxies: 300.1.2.3/8       | ratelimit.client-ip.trusted-proxies[0] is '300.1.2.3/8', which is not a CIDR block; write an address
            client-ip.ipv4-prefix-length: 33             | ratelimit.client-ip.ipv4-prefix-length is 33; write a number from 0 to 32
            client-ip.ipv6-prefix-length: -1             | ratelimit.client-ip.ipv6-prefix-length is -1; write a number from 0 to 128
            client-ip.header: "X Real IP"                | ratelimit.client-ip.header is 'X Real IP'; write the name of one header
            response.status: 399                         | ratelimit.response.status is 399; write a number from 400 to 599
            response.status: 600                         | ratelimit.response.status is 600; write a number from 400 to 599
            filter.authenticated-order: -110             | ratelimit.filter.authenticated-order is -110, not behind ratelimit.filter.order (-110)
            filter.exclude: static                       | ratelimit.filter.exclude[0] is 'static', which does not begin with a slash; write /static
            filter.exclude: /static/**                   | ratelimit.filter.exclude[0] is '/static/**', which has a wildcard
            filter.exclude: "/s/{x}"                     | ratelimit.filter.exclude[0] has a variable, {x}; write a prefix without one
            """)
    void compileWhenASettingIsOutOfRangeThenTheFaultSaysWhatToWrite(String setting, String fault) {
        assertThat(TestConfiguration.yaml("ratelimit." + setting).faultLines())
                .singleElement()
                .asString()
                .startsWith(fault);
    }

    private static Zone zone(Compiled compiled, String name) {
        return Objects.requireNonNull(compiled.zones().get(name), name);
    }
}
