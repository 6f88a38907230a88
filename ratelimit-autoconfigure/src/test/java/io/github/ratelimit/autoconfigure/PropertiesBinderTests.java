package io.github.ratelimit.autoconfigure;

import static io.github.ratelimit.autoconfigure.TestConfiguration.zone;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.autoconfigure.PropertiesBinder.Bound;
import io.github.ratelimit.key.KeyPlan.MissingKey;
import io.github.ratelimit.policy.Zone.WhenFull;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PropertiesBinderTests {

    @Test
    void bindWhenNothingIsWrittenThenEverythingHasItsDefault() {
        Bound bound = TestConfiguration.yaml("server.port: 8080").bound();

        assertThat(bound.faults()).isEmpty();
        RateLimitProperties properties = bound.properties();
        assertThat(properties.enabled()).isTrue();
        assertThat(properties.dryRun()).isFalse();
        assertThat(properties.zones()).isEmpty();
        assertThat(properties.rules()).isEmpty();
        assertThat(properties.clientIp().trustedProxies()).isEmpty();
        assertThat(properties.clientIp().header()).isEqualTo("X-Forwarded-For");
        assertThat(properties.clientIp().ipv4PrefixLength()).isEqualTo(32);
        assertThat(properties.clientIp().ipv6PrefixLength()).isEqualTo(64);
        assertThat(properties.response().status()).isEqualTo(429);
        assertThat(properties.filter().order()).isEqualTo(-110);
        assertThat(properties.filter().authenticatedOrder()).isEqualTo(-90);
        assertThat(properties.filter().exclude()).isEmpty();
        assertThat(properties.redis().timeout()).isEqualTo(Duration.ofMillis(100));
    }

    @Test
    void bindWhenAllThatIsSupportedIsWrittenThenItIsRead() {
        Bound bound = TestConfiguration.yaml("""
                        ratelimit:
                          enabled: true
                          dry-run: true
                          client-ip:
                            trusted-proxies: [10.0.0.0/8, 192.168.0.1]
                            header: Forwarded
                            ipv4-prefix-length: 24
                            ipv6-prefix-length: 48
                          response: {status: 503, headers: none, expose-to: everyone, cors-expose: false}
                          filter: {order: -200, authenticated-order: -50, exclude: [/static]}
                          zones:
                            per-ip:
                              key: client-ip
                              algorithm: token-bucket
                              rate: 10/s
                              burst: 20
                              store: local
                              max-keys: 5
                              when-full: reject
                              missing-key: skip
                              dry-run: true
                            "[/search]":
                              key: [client-ip, method]
                              rate: 1/s
                          rules:
                            - path: /api/login
                              methods: [POST]
                              zones: [per-ip]
                              cost: 2
                              inherit: true
                              dry-run: true
                            - path: /health-check
                              unlimited: true
                        """).bound();

        assertThat(bound.faults()).isEmpty();
        assertThat(bound.properties().clientIp().trustedProxies()).containsExactly("10.0.0.0/8", "192.168.0.1");
        assertThat(bound.properties().zones()).containsOnlyKeys("per-ip", "/search");
        ZoneProperties zone = zone(bound.properties(), "per-ip");
        assertThat(zone.burst()).isEqualTo(20);
        assertThat(zone.maxKeys()).isEqualTo(5);
        assertThat(zone.whenFull()).isEqualTo(WhenFull.REJECT);
        assertThat(zone.missingKey()).isEqualTo(MissingKey.SKIP);
        assertThat(zone(bound.properties(), "/search").key()).containsExactly("client-ip", "method");
        RuleProperties rule = bound.properties().rules().get(0);
        assertThat(rule.path()).isEqualTo("/api/login");
        assertThat(rule.cost()).isEqualTo(2);
        assertThat(rule.inherit()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            zones.per-ip.burst: abc            | ratelimit.zones.per-ip.burst is 'abc'; write a whole number
            zones.per-ip.burst: 2.5            | ratelimit.zones.per-ip.burst is 2.5; write a whole number
            zones.per-ip.max-keys: 3000000000  | ratelimit.zones.per-ip.max-keys is '3000000000'; write a whole number up to 2147483647
            rules[0].cost: many                | ratelimit.rules[0].cost is 'many'; write a whole number
            dry-run: maybe                     | ratelimit.dry-run is 'maybe'; write true or false
            response.status: 4x9               | ratelimit.response.status is '4x9'; write a whole number
            response.headers: draft            | ratelimit.response.headers is 'draft'; write one of none, draft-11, legacy
            response.expose-to: nobody         | ratelimit.response.expose-to is 'nobody'; write one of everyone, authenticated, trusted-proxies
            zones.per-ip.algorithm: bucket     | ratelimit.zones.per-ip.algorithm is 'bucket'; write one of token-bucket, leaky-bucket, fixed-window, sliding-window, concurrency
            zones.per-ip.when-full: drop       | ratelimit.zones.per-ip.when-full is 'drop'; write one of share, reject
            zones.per-ip.missing-key: none     | ratelimit.zones.per-ip.missing-key is 'none'; write one of client-ip, skip, reject
            redis.timeout: soon                | ratelimit.redis.timeout is 'soon'; write a time with its unit, such as 100ms, 5s or 10m
            zones.per-ip: 10/s                 | ratelimit.zones.per-ip is '10/s'; write its settings below it, each on a line of its own
            zones: 10/s                        | ratelimit.zones is '10/s'; write its settings below it, each on a line of its own
            rules: /api                        | ratelimit.rules is '/api'; write a list whose elements begin with a dash
            """)
    void bindWhenAValueCannotBeReadThenTheFaultNamesItAndSaysWhatToWrite(String setting, String fault) {
        assertThat(TestConfiguration.yaml("ratelimit." + setting).bound().faults())
                .extracting(Object::toString)
                .containsExactly(fault);
    }

    @Test
    void bindWhenOneValueCannotBeReadThenTheOthersAre() {
        Bound bound = TestConfiguration.yaml("""
                        ratelimit:
                          dry-run: perhaps
                          zones:
                            per-ip: {rate: 10/s, burst: abc, max-keys: 7}
                          rules:
                            - {path: /a, zones: per-ip, cost: x}
                            - {path: /b, zones: per-ip}
                        """).bound();

        assertThat(bound.faults())
                .extracting(fault -> fault.where())
                .containsExactlyInAnyOrder(
                        "ratelimit.dry-run", "ratelimit.zones.per-ip.burst", "ratelimit.rules[0].cost");
        assertThat(zone(bound.properties(), "per-ip").maxKeys()).isEqualTo(7);
        assertThat(bound.properties().rules()).extracting(RuleProperties::path).containsExactly("/a", "/b");
    }

    @Test
    void bindWhenNothingOfAnElementCanBeReadThenThoseBehindItAre() {
        Bound bound = TestConfiguration.yaml("ratelimit.rules: [{cost: x}, {path: /b, rate: 1/s}]")
                .bound();

        assertThat(bound.faults()).extracting(fault -> fault.where()).containsExactly("ratelimit.rules[0].cost");
        assertThat(bound.properties().rules()).extracting(RuleProperties::path).containsExactly(null, "/b");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"ratelimit:", "ratelimit.zones:", "ratelimit.rules:", "ratelimit.redis:", "ratelimit.rules: []"})
    void bindWhenAKeyHasNothingBehindItThenThereIsNoFault(String yaml) {
        Bound bound = TestConfiguration.yaml(yaml).bound();

        assertThat(bound.faults()).isEmpty();
        assertThat(bound.properties().rules()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            rulse[0].path: /api           | ratelimit.rulse is not known; did you mean rules?
            zone.per-ip.rate: 10/s        | ratelimit.zone is not known; did you mean zones?
            dryrunn: true                 | ratelimit.dryrunn is not known; did you mean dry-run?
            client-ip.proxies: a          | ratelimit.client-ip.proxies is not known; known here: header, ipv4-prefix-length, ipv6-prefix-length, trusted-proxies
            zones.per-ip.brust: 5         | ratelimit.zones.per-ip.brust is not known; did you mean burst?
            rules[0].method: POST         | ratelimit.rules[0].method is not known; did you mean methods?
            rules.api.rate: 5/s           | ratelimit.rules.api is not known: ratelimit.rules is a list; begin each element with a dash
            zones.per-ip.rate.permits: 5  | ratelimit.zones.per-ip.rate.permits is not known: ratelimit.zones.per-ip.rate takes one value
            zones.per-ip.penalty.for: 5   | ratelimit.zones.per-ip.penalty.for is not known; known here: after, ban, max-ban, multiplier, permanent-after, within
            """)
    void bindWhenANameIsNotKnownThenTheFaultNamesTheNearest(String setting, String fault) {
        assertThat(TestConfiguration.yaml("ratelimit." + setting).bound().faults())
                .extracting(Object::toString)
                .contains(fault);
    }

    @Test
    void bindWhenManyNamesStandBelowAnUnknownOneThenItIsNamedOnce() {
        assertThat(TestConfiguration.yaml("ratelimit.rulse: [{path: /a, rate: 1/s}, {path: /b, rate: 1/s}]")
                        .bound()
                        .faults())
                .extracting(fault -> fault.where())
                .containsExactly("ratelimit.rulse");
    }

    @Test
    void bindWhenAnUnknownNameStandsOnTheCommandLineThenItIsAFault() {
        assertThat(TestConfiguration.yaml("a: b")
                        .commandLine(Map.of("ratelimit.dry-rum", "true"))
                        .bound()
                        .faults())
                .extracting(fault -> fault.where())
                .containsExactly("ratelimit.dry-rum");
    }

    @Test
    void bindWhenAnUnrelatedVariableBeginsAlikeThenItIsNoFault() {
        assertThat(TestConfiguration.yaml("a: b")
                        .variables(Map.of("RATELIMIT_SERVICE_HOST", "10.0.0.1", "RATELIMIT_PORT", "tcp://10.0.0.1:80"))
                        .bound()
                        .faults())
                .isEmpty();
    }

    @Test
    void bindWhenNamesAreSpelledAsBootAllowsThenTheyAreRead() {
        RateLimitProperties properties = TestConfiguration.yaml("""
                        ratelimit:
                          dryRun: true
                          client_ip.IPV4PrefixLength: 24
                          zones.perIp: {rate: 10/s, maxKeys: 3, whenFull: REJECT}
                        """)
                .variables(Map.of("RATELIMIT_FILTER_AUTHENTICATEDORDER", "5"))
                .bound()
                .properties();

        assertThat(properties.dryRun()).isTrue();
        assertThat(properties.clientIp().ipv4PrefixLength()).isEqualTo(24);
        assertThat(zone(properties, "perIp").maxKeys()).isEqualTo(3);
        assertThat(properties.filter().authenticatedOrder()).isEqualTo(5);
    }

    @Test
    void bindWhenAValueHasAPlaceholderThenItIsReplaced() {
        assertThat(TestConfiguration.yaml(
                                "{limit: 7/s, ratelimit.zones.a.rate: '${limit}', ratelimit.zones.b.rate: '${no:2/s}'}")
                        .bound()
                        .properties()
                        .zones())
                .hasEntrySatisfying("a", zone -> assertThat(zone.rate()).isEqualTo("7/s"))
                .hasEntrySatisfying("b", zone -> assertThat(zone.rate()).isEqualTo("2/s"));
    }

    @Test
    void bindWhenAListHasAGapThenItIsAFault() {
        assertThat(TestConfiguration.yaml("a: b")
                        .commandLine(Map.of(
                                "ratelimit.rules[0].path", "/a",
                                "ratelimit.rules[0].rate", "1/s",
                                "ratelimit.rules[2].path", "/c"))
                        .bound()
                        .faults())
                .extracting(fault -> fault.where())
                .containsExactly("ratelimit.rules[2].path");
    }
}
