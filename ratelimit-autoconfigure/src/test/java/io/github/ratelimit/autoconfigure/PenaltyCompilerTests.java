package io.github.ratelimit.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.algorithm.Penalty;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PenaltyCompilerTests {

    @Test
    void compileWhenNoPenaltyIsWrittenThenThereIsNone() {
        assertThat(penalty("rate: 5/s")).isNull();
    }

    @Test
    void compileWhenEverythingIsWrittenThenSaysSo() {
        assertThat(
                        penalty(
                                "rate: 5/s, penalty: {after: 5, within: 1m, ban: 10m, multiplier: 3, max-ban: 24h, permanent-after: 4}"))
                .isEqualTo(penalty(5, "PT1M", "PT10M", 3, "PT24H", 4));
    }

    @Test
    void compileWhenOneThingIsWrittenThenTheRestIsUsual() {
        assertThat(penalty("rate: 5/s, penalty: {after: 7}"))
                .isEqualTo(penalty(7, "PT1M", "PT10M", 2, "PT24H", Penalty.NO_PERMANENT_BAN));
        assertThat(penalty("rate: 5/s, penalty: {ban: 48h}"))
                .isEqualTo(penalty(5, "PT1M", "PT48H", 2, "PT48H", Penalty.NO_PERMANENT_BAN));
    }

    @Test
    void compileWhenATimeHasNoUnitThenItIsSeconds() {
        assertThat(penalty("rate: 5/s, penalty: {within: 60, ban: 600, max-ban: 3600}"))
                .isEqualTo(penalty(5, "PT1M", "PT10M", 2, "PT1H", Penalty.NO_PERMANENT_BAN));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {after: 0}                | after is 0; write after how many rejections a key is banned, 1 to 100
            {after: 101}              | after is 101; write after how many rejections a key is banned, 1 to 100
            {within: 0s}              | within is not above zero and at most 400 days; write a time, such as 1m
            {ban: -5s}                | ban is not above zero and at most 400 days; write a time, such as 10m
            {max-ban: 10000d}         | max-ban is not above zero and at most 400 days; write a time, such as 24h
            {max-ban: 1m}             | max-ban is shorter than the first ban; write at least as long a time as ratelimit.zones.a.penalty.ban
            {multiplier: 0}           | multiplier is 0; write how many times longer each further ban is, 1 for no longer
            {permanent-after: 0}      | permanent-after is 0; write which ban does not end by itself, at least 1, or leave it out
            {within: soon}            | within is
            {afer: 3}                 | afer is not known; did you mean after?
            """)
    void compileWhenAPenaltyIsWrongThenTheFaultSaysWhatToWrite(String penalty, String fault) {
        assertThat(TestConfiguration.yaml("ratelimit.zones.a: {rate: 5/s, penalty: " + penalty + "}")
                        .faultLines())
                .singleElement()
                .asString()
                .startsWith("ratelimit.zones.a.penalty." + fault);
    }

    @Test
    void compileWhenSeveralThingsAreWrongThenAllAreTold() {
        assertThat(TestConfiguration.yaml(
                                "ratelimit.zones.a: {rate: 5/s, penalty: {after: 0, ban: 0s, multiplier: 0, permanent-after: 0}}")
                        .faultLines())
                .hasSize(4);
    }

    private static @Nullable Penalty penalty(String zone) {
        return Objects.requireNonNull(TestConfiguration.yaml("ratelimit.zones.a: {" + zone + "}")
                        .compiled()
                        .zones()
                        .get("a"))
                .penalty();
    }

    private static Penalty penalty(int after, String within, String ban, int multiplier, String maxBan, int permanent) {
        return new Penalty(
                after,
                Duration.parse(within).toNanos(),
                Duration.parse(ban).toNanos(),
                multiplier,
                Duration.parse(maxBan).toNanos(),
                permanent);
    }
}
