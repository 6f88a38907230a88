package io.github.ratelimit.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.autoconfigure.PolicyCompiler.Compiled;
import io.github.ratelimit.key.KeyPlan.MissingKey;
import io.github.ratelimit.policy.Rule;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.policy.Zone.WhenFull;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RuleCompilerTests {
    @Test
    void compileWhenOnlyAPathRateAndBurstAreWrittenThenThereIsAnImplicitZone() {
        Compiled compiled = TestConfiguration.yaml("""
                        ratelimit:
                          rules:
                            - path: /search
                              rate: 2/s
                              burst: 8
                        """).compiled();

        assertThat(compiled.faults()).isEmpty();
        assertThat(compiled.zones()).containsOnlyKeys("/search");
        Zone zone = zone(compiled, "/search");
        assertThat(zone.key().names()).containsExactly("client-ip");
        assertThat(zone.key().missing()).isEqualTo(MissingKey.CLIENT_IP);
        assertThat(zone.algorithm().limit()).isEqualTo(8);
        assertThat(zone.maxKeys()).isEqualTo(100_000);
        assertThat(zone.whenFull()).isEqualTo(WhenFull.SHARE);
        assertThat(compiled.rules()).hasSize(1);
        Rule rule = compiled.rules().get(0);
        assertThat(rule.path()).isEqualTo("/search");
        assertThat(rule.zones()).containsExactly(zone);
        assertThat(rule.cost()).isEqualTo(1);
        assertThat(rule.source()).isEqualTo("application.yml");
    }

    @Test
    void compileWhenAnInlineRuleNamesMethodsThenItsZoneDoesToo() {
        assertThat(TestConfiguration.yaml("""
                                ratelimit.rules:
                                  - {path: /search, methods: post, rate: 2/s}
                                  - {path: /search/, methods: [put, head], rate: 2/s}
                                """).compiled().zones()).containsOnlyKeys("POST /search", "GET,PUT /search");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            {path: /a, zones: [b]}                         | .zones[0] is 'b', which is no zone; known zones: a, tiny
            {path: /a, zones: [a, a]}                      | .zones[1] names zone 'a' a second time; remove it
            {path: /a}                                     |  limits nothing; write zones, a rate, or unlimited: true
            {path: /a, inherit: true}                      |  limits nothing; write zones, a rate, or unlimited: true
            {path: /a, burst: 5}                           | .burst stands without a rate; write the rate too
            {path: /a, zones: a, rate: 1/s}                | .rate stands beside zones; write one of the two
            {path: /a, zones: a, burst: 3}                 | .burst stands without a rate; write the rate too
            {path: /a, zones: a, unlimited: true}          | .unlimited is true although the rule charges something
            {path: /a, rate: 1/s, unlimited: true}         | .unlimited is true although the rule charges something
            {path: /a, inherit: true, unlimited: true}     | .unlimited is true although the rule charges something
            {path: /a, rate: 0/s}                          | .rate is '0/s', which is not above zero
            {path: /a, rate: 1/s, burst: 0}                | .burst is '0', which is below 1
            {path: /a, rate: 2/s, cost: 3}                 | .burst is 2, below the cost 3 of ratelimit.rules[0], whose requests could never be admitted; write at least 3
            {path: /a, zones: a, cost: 0}                  | .cost is 0; write how many permits a request costs, at least 1
            {path: /a, zones: a, methods: ["*"]}           | .methods[0] is '*'; leave methods out to cover all of them
            {path: /a, zones: a, methods: ["GET POST"]}    | .methods[0] is 'GET POST'; write one method, such as POST
            {zones: a}                                     | .path is missing; write a prefix such as /api/login
            {path: '', zones: a}                           | .path is missing; write a prefix such as /api/login
            {path: api/login, zones: a}                    | .path is 'api/login', which does not begin with a slash; write /api/login
            {path: /api/**, zones: a}                      | .path is '/api/**', which has a wildcard, although a path covers everything below it; write /api
            {path: '**', zones: a}                         | .path is '**', which does not begin with a slash; write /
            {path: '/api/x?q=1', zones: a}                 | .path is '/api/x?q=1', which has a query, a fragment or a parameter, which is no part of a path; write /api/x
            {path: /api;v=1/x, zones: a}                   | .path is '/api;v=1/x', which has a query
            {path: '/x/{}', zones: a}                      | .path is '/x/{}', in which '{}' is no variable; write a whole segment
            {path: '/x/{a', zones: a}                      | .path is '/x/{a', in which '{a' is no variable; write a whole segment
            {path: '/x/{a:[0-9]+}', zones: a}              | .path is '/x/{a:[0-9]+}', in which '{a:[0-9]+}' is no variable
            {path: '/x/{a}/{a}', zones: a}                 | .path is '/x/{a}/{a}', which has {a} twice
            """)
    void compileWhenARuleIsWrongThenTheFaultSaysWhatToWrite(String rule, String fault) {
        String zones = "ratelimit.zones: {a: {rate: 2/s}, tiny: {rate: 1/s}}\n";

        assertThat(TestConfiguration.yaml(zones + "ratelimit.rules: [" + rule + "]")
                        .faultLines())
                .singleElement()
                .asString()
                .startsWith("ratelimit.rules[0]" + (fault.startsWith(".") ? "" : " ") + fault);
    }

    @Test
    void compileWhenABurstIsBelowACostThenTheZoneIsNamedForEachRule() {
        assertThat(TestConfiguration.yaml("""
                                ratelimit:
                                  zones: {a: {rate: 5/s}}
                                  rules: [{path: /x, zones: a, cost: 6}, {path: /y, zones: a, cost: 5}, {path: /z, zones: a, cost: 7}]
                                """).faultLines())
                .containsExactly(
                        "ratelimit.zones.a.burst is 5, below the cost 6 of ratelimit.rules[0], whose requests could"
                                + " never be admitted; write at least 6",
                        "ratelimit.zones.a.burst is 5, below the cost 7 of ratelimit.rules[2], whose requests could"
                                + " never be admitted; write at least 7");
    }

    /** What is to be written is a property that the zone's algorithm has. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            algorithm: fixed-window, rate: 10/m              | 11 | .rate is 10/m, which is 10 permits a window, below the cost 11 of ratelimit.rules[0], whose requests could never be admitted; write at least 11 permits a window
            algorithm: sliding-window, rate: 0.5/s           | 2  | .rate is 0.5/s, which is 1 permits a window, below the cost 2 of ratelimit.rules[0], whose requests could never be admitted; write at least 2 permits a window
            algorithm: leaky-bucket, rate: 1/s               | 2  | .burst is 0, below the cost 2 of ratelimit.rules[0], whose requests could never be admitted; write at least 1
            algorithm: concurrency, max-concurrent: 3        | 4  | .max-concurrent is 3, below the cost 4 of ratelimit.rules[0], whose requests could never be admitted; write at least 4
            """)
    void compileWhenACostIsAboveTheLimitThenTheFaultNamesWhatTheAlgorithmHas(String zone, int cost, String fault) {
        String yaml = "ratelimit: {zones: {a: {%s}}, rules: [{path: /x, zones: a, cost: %d}]}";
        assertThat(TestConfiguration.yaml(yaml.formatted(zone, cost)).faultLines())
                .containsExactly("ratelimit.zones.a" + fault);
    }

    @Test
    void compileWhenARuleIsADuplicateThenTheFaultShowsTheOtherAsItIsWritten() {
        assertThat(TestConfiguration.yaml("ratelimit.rules: [{path: '/t/{a}', rate: 1/s}, {path: '/t/{b}', rate: 2/s}]")
                        .faultLines())
                .singleElement()
                .asString()
                .contains("ratelimit.rules[0] covers '/t/{a}' for the same methods");
    }

    @Test
    void compileWhenARuleNamesAFaultyZoneThenOnlyTheZoneIsAFault() {
        assertThat(TestConfiguration.yaml(
                                "{ratelimit.zones.a.rate: 5, ratelimit.rules: [{path: /x, zones: a, cost: 10}]}")
                        .faults())
                .extracting(fault -> fault.where())
                .containsExactly("ratelimit.zones.a.rate");
    }

    @Test
    void compileWhenNoZoneIsWrittenThenTheFaultSaysWhere() {
        assertThat(TestConfiguration.yaml("ratelimit.rules: [{path: /x, zones: login}]")
                        .faultLines())
                .containsExactly("ratelimit.rules[0].zones[0] is 'login', which is no zone; write it under"
                        + " ratelimit.zones, where there is none yet");
    }

    /** RL-24: of two spellings of one prefix, one rule would never be used. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {path: /api, rate: 1/s}                 | {path: /api/, rate: 2/s}                 | true
            {path: /api, rate: 1/s}                 | {path: //api/./x/.., rate: 2/s}          | true
            {path: '/t/{a}/x', rate: 1/s}           | {path: '/t/{b}/x', rate: 2/s}            | true
            {path: /api, methods: GET, rate: 1/s}   | {path: /api, methods: [POST, HEAD], rate: 1/s} | true
            {path: /api, methods: GET, rate: 1/s}   | {path: /api, methods: POST, rate: 1/s}   | false
            {path: /api, rate: 1/s}                 | {path: /api, methods: POST, rate: 1/s}   | false
            {path: /api, rate: 1/s}                 | {path: /apis, rate: 1/s}                 | false
            {path: '/t/{a}', rate: 1/s}             | {path: /t/a, rate: 1/s}                  | false
            """)
    void compileWhenTwoRulesCoverTheSameThenTheSecondIsADuplicate(String first, String second, boolean duplicate) {
        assertThat(TestConfiguration.yaml("ratelimit.rules: [" + first + ", " + second + "]")
                        .faults())
                .extracting(fault -> fault.where())
                .isEqualTo(duplicate ? List.of("ratelimit.rules[1].path") : List.of());
    }

    @Test
    void compileWhenPathsDifferInCaseThenAreDuplicatesWhereTheApplicationIgnoresIt() {
        String rules = "ratelimit.rules: [{path: /api/Login, rate: 1/s}, {path: /API/login, rate: 2/s}]";
        assertThat(TestConfiguration.yaml(rules).faults()).isEmpty();
        assertThat(TestConfiguration.yaml(rules).anyCase().faultLines())
                .containsExactly(
                        "ratelimit.rules[1].path is a duplicate: ratelimit.rules[0] covers '/api/Login' for the"
                                + " same methods; make one rule of the two");
    }

    @Test
    void compileWhenAnInlineRuleIsNamedLikeAZoneThenItIsAFault() {
        assertThat(TestConfiguration.yaml("""
                                ratelimit:
                                  zones: {"[/search]": {rate: 5/s}}
                                  rules: [{path: /search, rate: 1/s}]
                                """).faultLines())
                .singleElement()
                .asString()
                .startsWith(
                        "ratelimit.rules[0].rate makes a zone that is named '/search' like ratelimit.zones[/search];");
    }

    @Test
    void compileWhenAnotherSourceOverridesOneElementThenTheRuleWithoutPathIsAFault() {
        TestConfiguration configuration =
                TestConfiguration.yaml("ratelimit.rules: [{path: /a, rate: 1/s}, {path: /b, rate: 1/s}]");

        assertThat(configuration
                        .commandLine(Map.of("ratelimit.rules[0].rate", "9/s"))
                        .faultLines())
                .singleElement()
                .asString()
                .startsWith("ratelimit.rules[0].path is missing;")
                .contains("must hold every rule whole");
    }

    @Test
    void compileWhenAVariableOverridesOneElementThenTheRuleWithoutPathIsAFault() {
        assertThat(TestConfiguration.yaml("ratelimit.rules: [{path: /a, rate: 1/s}]")
                        .variables(Map.of("RATELIMIT_RULES_0_RATE", "9/s"))
                        .faults())
                .extracting(fault -> fault.where())
                .containsExactly("ratelimit.rules[0].path");
    }

    private static Zone zone(Compiled compiled, String name) {
        return Objects.requireNonNull(compiled.zones().get(name), name);
    }
}
