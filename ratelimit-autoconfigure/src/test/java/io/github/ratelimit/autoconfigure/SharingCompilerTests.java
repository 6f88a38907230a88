package io.github.ratelimit.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.algorithm.TokenBucket;
import io.github.ratelimit.policy.Sharing;
import io.github.ratelimit.policy.Sharing.OnFailure;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SharingCompilerTests {

    @Test
    void compileWhenAZoneIsSharedThenItSaysHow() {
        Sharing sharing = Objects.requireNonNull(
                        TestConfiguration.yaml("""
                        ratelimit.zones.a: {rate: 10/s, store: redis, on-store-failure: allow, local-guard: 50/s, lease: 5}
                        """).compiled().zones().get("a"))
                .sharing();

        assertThat(sharing).isNotNull().satisfies(how -> {
            assertThat(how.onFailure()).isEqualTo(OnFailure.ALLOW);
            assertThat(how.lease()).isEqualTo(5);
            assertThat(how.guard())
                    .isInstanceOfSatisfying(
                            TokenBucket.class,
                            guard -> assertThat(guard.limit()).isEqualTo(50));
        });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {rate: 5/s, lease: 0, store: redis}             | ratelimit.zones.a.lease is 0; write how many permits to fetch per trip, at least 1
            {rate: 5/s, lease: 6, store: redis}             | ratelimit.zones.a.lease is 6, above what one key may draw at once (5); write less
            {rate: 5/s, lease: 2, store: redis, algorithm: leaky-bucket, burst: 9} | ratelimit.zones.a.lease has no meaning for leaky-bucket
            {lease: 2, store: redis, algorithm: concurrency, max-concurrent: 3} | ratelimit.zones.a.lease has no meaning for concurrency
            {rate: 5/s, local-guard: 5, store: redis}       | ratelimit.zones.a.local-guard is '5', which has no period; write a number
            {rate: 1000/s, burst: 9000000000, store: redis} | ratelimit.zones.a.burst is 9000000000, more than can be counted in Redis; write at most
            {rate: 5/s, store: redis, overrides: [{key: 10.0.0.1, rate: 1000/s, burst: 9000000000}]} | ratelimit.zones.a.overrides[0].burst is 9000000000, more than can be counted in Redis; write at most
            {rate: 5/s, store: redis, schedule: [{from: "22:00", to: "06:00", rate: 1000/s, burst: 9000000000}]} | ratelimit.zones.a.schedule[0].burst is 9000000000, more than can be counted in Redis; write at most
            {rate: 5/s, local-guard: 5/s}                   | ratelimit.zones.a.local-guard has no meaning for a zone that is kept in this instance; remove it, or write store: redis
            {rate: 5/s, lease: 5}                           | ratelimit.zones.a.lease has no meaning for a zone that is kept in this instance
            {rate: 5/s, on-store-failure: allow}            | ratelimit.zones.a.on-store-failure has no meaning for a zone that is kept in this instance
            """)
    void compileWhenAZoneIsWronglySharedThenTheFaultSaysWhatToWrite(String zone, String fault) {
        assertThat(TestConfiguration.yaml("ratelimit.zones.a: " + zone).faultLines())
                .singleElement()
                .asString()
                .startsWith(fault);
    }

    @Test
    void compileWhenNothingCanBeSharedThenOnlyASharedZoneIsAFault() {
        String yaml = "ratelimit.zones: {a: {rate: 5/s, store: redis}, b: {rate: 5/s}}";

        assertThat(TestConfiguration.yaml(yaml)
                        .withoutStore(RedisLibraries.MISSING)
                        .faultLines())
                .containsExactly("ratelimit.zones.a.store is 'redis', which needs Spring Data Redis and Lettuce on the"
                        + " class path; add spring-boot-starter-data-redis, or write local");
    }

    @ParameterizedTest
    @ValueSource(strings = {"timeout: 0s", "timeout: -1s", "database: -1", "key-prefix: ' '"})
    void checkWhenASettingOfRedisCannotWorkThenItIsAFault(String setting) {
        assertThat(TestConfiguration.yaml("ratelimit.redis: {" + setting + "}").faultLines())
                .singleElement()
                .asString()
                .startsWith("ratelimit.redis." + setting.substring(0, setting.indexOf(':')));
    }
}
