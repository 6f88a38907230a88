package io.github.ratelimit.actuate;

import static io.github.ratelimit.fixture.LimiterFixture.zone;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.fixture.LimiterFixture;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.limiter.Charge;
import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.metrics.RateLimitMeters;
import io.github.ratelimit.policy.Policy;
import io.github.ratelimit.policy.PolicyHolder;
import io.github.ratelimit.policy.RuleTable;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.policy.Zone.WhenFull;
import io.github.ratelimit.store.SharedStore;
import io.github.ratelimit.store.ZoneStore;
import io.github.ratelimit.store.ZoneUsage;
import io.github.ratelimit.store.local.LocalStore;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.endpoint.Show;

/**
 * What an operator's questions ask of the state of the zones, call by call: the same whether there are three keys or twenty
 * thousand. That none of these calls walks over the keys is the store's own duty.
 */
class QuestionCostTests {

    private final List<String> calls = new ArrayList<>();
    private final LocalStore store = new LocalStore(() -> 0);
    private final PolicyHolder policies = new PolicyHolder();
    private final RateLimiter limiter = new RateLimiter(
            (name, zone) -> new Counted(name, store.zone(name, zone.maxKeys(), zone.whenFull() == WhenFull.SHARE)),
            SharedStore.absent(),
            LimiterFixture.SEATS,
            store.bans(),
            store.bans(),
            () -> LimiterFixture.NOW);
    private final RateLimitEndpoint endpoint = new RateLimitEndpoint(
            policies,
            limiter,
            new KeyMask(Show.NEVER, Set.of()),
            LimiterFixture.CHANGER,
            AnnotatedKeys.NONE,
            () -> LimiterFixture.NOW);

    @AfterEach
    void close() {
        store.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 20_000})
    void limitsThenAsksEachZoneOnceHowFullItIs(int keys) {
        fill(keys);
        endpoint.limits();
        assertThat(calls).containsExactly("usage a", "usage b");
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 20_000})
    void zoneThenAsksThatZoneOnceHowFullItIs(int keys) {
        fill(keys);
        endpoint.zone("a");
        assertThat(calls).containsExactly("usage a");
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 20_000})
    void keyThenLooksAtThatKeyAlone(int keys) {
        fill(keys);
        endpoint.key("a", "key-1");
        assertThat(calls).containsOnly("peek key-1").hasSizeLessThanOrEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 20_000})
    void healthThenAsksEachZoneOnceHowFullItIs(int keys) {
        fill(keys);
        new RateLimitHealthIndicator(policies, limiter, false).health();
        assertThat(calls).containsExactly("usage a", "usage b");
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 20_000})
    void scrapeThenAsksOnlyHowFullTheZonesAre(int keys) {
        fill(keys);
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (RateLimitMeters meters = new RateLimitMeters(policies, limiter)) {
            meters.bindTo(registry);
            calls.clear();
            assertThat(registry.scrape()).contains("ratelimit_zone_keys{zone=\"a\"} " + keys + ".0");
        }
        // one of keys, their bound, and decisions in shared buckets each
        assertThat(calls).containsExactlyInAnyOrder("usage a", "usage a", "usage a", "usage b", "usage b", "usage b");
    }

    private void fill(int keys) {
        Map<String, Zone> zones = new LinkedHashMap<>();
        zones.put("a", zone("a", "30/m", 5));
        zones.put("b", zone("b", "30/m", 5));
        policies.set(new Policy(false, zones, List.of(), new RuleTable(List.of(), true)));
        for (int i = 0; i < keys; i++) {
            for (Zone zone : zones.values()) {
                limiter.acquire(List.of(new Charge(zone, RateLimitKey.ofText("key-" + i), 1, false)));
            }
        }
        calls.clear();
    }

    /** A store that writes down what it is asked. */
    private final class Counted implements ZoneStore {

        private final String zone;
        private final ZoneStore store;

        Counted(String zone, ZoneStore store) {
            this.zone = zone;
            this.store = store;
        }

        @Override
        public Step acquire(RateLimitKey key, Algorithm algorithm, long cost, Step into) {
            calls.add("acquire " + key);
            return store.acquire(key, algorithm, cost, into);
        }

        @Override
        public Step peek(RateLimitKey key, Algorithm algorithm, long cost) {
            calls.add("peek " + key);
            return store.peek(key, algorithm, cost);
        }

        @Override
        public void charge(RateLimitKey key, Algorithm algorithm, long cost, Step drawn) {
            calls.add("charge " + key);
            store.charge(key, algorithm, cost, drawn);
        }

        @Override
        public void refund(RateLimitKey key, Algorithm algorithm, long cost, Step drawn) {
            calls.add("refund " + key);
            store.refund(key, algorithm, cost, drawn);
        }

        @Override
        public void forget(RateLimitKey key) {
            calls.add("forget " + key);
            store.forget(key);
        }

        @Override
        public ZoneUsage usage() {
            calls.add("usage " + zone);
            return store.usage();
        }
    }
}
