package io.github.ratelimit.metrics;

import static io.github.ratelimit.fixture.LimiterFixture.zone;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.algorithm.LeakyBucket;
import io.github.ratelimit.algorithm.Penalty;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.fixture.LimiterFixture;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.policy.Sharing;
import io.github.ratelimit.policy.Sharing.OnFailure;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.policy.Zone.WhenFull;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RateLimitMetersTests {

    private static final int SERIES_OF_A_ZONE = 7;
    private static final long SECOND = 1_000_000_000L;

    private final LimiterFixture fixture = new LimiterFixture();
    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final RateLimitMeters meters = new RateLimitMeters(fixture.policies(), fixture.limiter());

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void bindToWhenNothingWasDecidedThenEverySeriesIsThereAtZero() {
        Zone login = zone("login", "30/m", 5);
        fixture.enforce(List.of(login));
        meters.bindTo(registry);
        assertThat(registry.getMeters()).hasSize(SERIES_OF_A_ZONE);
        assertThat(registry.find("ratelimit.decisions")
                        .tags("zone", "login", "tier", "local")
                        .functionCounters())
                .extracting(meter -> meter.getId().getTag("outcome"))
                .containsExactlyInAnyOrder("permitted", "delayed", "rejected", "dry_run_rejected");
        assertThat(decisions("login", "permitted")).isZero();
        assertThat(gauge("ratelimit.zone.keys", "login")).isZero();
        assertThat(gauge("ratelimit.zone.max.keys", "login")).isEqualTo(100_000);
    }

    @Test
    void countersWhenRequestsWereDecidedThenAddUpToTheRequests() {
        Zone login = zone("login", "30/m", 5);
        fixture.enforce(List.of(login));
        meters.bindTo(registry);
        for (int i = 0; i < 8; i++) {
            fixture.draw(login, "alice");
        }
        fixture.draw(login, null, 1, false);
        fixture.draw(login, RateLimitKey.ofText("alice"), 1, true);
        assertThat(decisions("login", "permitted")).isEqualTo(5);
        assertThat(decisions("login", "rejected")).isEqualTo(4);
        assertThat(decisions("login", "dry_run_rejected")).isEqualTo(1);
        assertThat(sumOfDecisions(registry)).isEqualTo(10);
        assertThat(gauge("ratelimit.zone.keys", "login")).isEqualTo(1);
    }

    @Test
    void countersWhenTheZoneIsFullThenSharedDecisionsAreCounted() {
        Zone small = zone("small", "30/m", 1, 1, WhenFull.SHARE);
        fixture.enforce(List.of(small));
        meters.bindTo(registry);
        fixture.draw(small, "first");
        fixture.draw(small, "second");
        fixture.draw(small, "second");
        assertThat(registry.get("ratelimit.zone.shared")
                        .tag("zone", "small")
                        .functionCounter()
                        .count())
                .isEqualTo(2);
        assertThat(gauge("ratelimit.zone.keys", "small")).isEqualTo(1);
        assertThat(gauge("ratelimit.zone.max.keys", "small")).isEqualTo(1);
    }

    @Test
    void seriesWhenFiveThousandKeysDrewThenStayTheSameAndNameNoKey() {
        Zone login = zone("login", "1/m", 1);
        fixture.enforce(List.of(login));
        meters.bindTo(registry);
        Set<Meter.Id> before = ids();
        for (int i = 0; i < 5_000; i++) {
            fixture.draw(login, "key-" + i);
            fixture.draw(login, "key-" + i);
        }
        assertThat(ids()).isEqualTo(before);
        assertThat(registry.getMeters())
                .flatExtracting(meter -> meter.getId().getTags())
                .extracting(Tag::getValue)
                .containsOnly("login", "local", "permitted", "delayed", "rejected", "dry_run_rejected");
        assertThat(decisions("login", "permitted")).isEqualTo(5_000);
        assertThat(decisions("login", "rejected")).isEqualTo(5_000);
    }

    @Test
    void metersWhenAZoneBansThenBansAreCounted() {
        Zone strict = zone("strict", "1/m", 1).punishing(new Penalty(3, 60 * SECOND, 60 * SECOND, 2, 60 * SECOND, 9));
        fixture.enforce(List.of(strict, zone("mild", "1/m", 1)));
        meters.bindTo(registry);
        for (int i = 0; i < 9; i++) {
            fixture.draw(strict, "alice");
        }
        assertThat(registry.get("ratelimit.bans").functionCounters()).hasSize(1);
        assertThat(registry.get("ratelimit.bans")
                        .tag("zone", "strict")
                        .functionCounter()
                        .count())
                .isOne();
    }

    @Test
    void metersWhenAZoneDelaysThenDelaysAreTimed() {
        Zone slow = new Zone(
                "slow", zone("x", "1/s", 1).key(), LeakyBucket.of(Rate.parse("1/s"), 5, 0), 100, WhenFull.SHARE, false);
        fixture.enforce(List.of(slow, zone("mild", "1/m", 1)));
        meters.bindTo(registry);
        for (int i = 0; i < 4; i++) {
            fixture.draw(slow, "alice");
        }
        assertThat(registry.get("ratelimit.delay").timers()).hasSize(1);
        Timer delay = registry.get("ratelimit.delay").tag("zone", "slow").timer();
        assertThat(delay.count()).isEqualTo(3);
        assertThat(delay.totalTime(TimeUnit.SECONDS)).isEqualTo(6);
        assertThat(decisions("slow", "delayed")).isEqualTo(3);
        meters.close();
        fixture.draw(slow, "alice");
        assertThat(delay.count()).isEqualTo(3);
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void metersWhenAZoneIsSharedThenTiersAndTripsAreToldApart() {
        Zone shared = zone("shared", "5/m", 5).shared(new Sharing(OnFailure.ALLOW, null, 1));
        fixture.enforce(List.of(shared));
        meters.bindTo(registry);
        assertThat(registry.get("ratelimit.store")
                        .tags("store", "redis", "result", "ok")
                        .timer()
                        .count())
                .isZero();
        // there is no store: none of the trips is answered
        fixture.draw(shared, "alice");
        fixture.draw(shared, "alice");
        assertThat(registry.get("ratelimit.decisions")
                        .tags("zone", "shared", "outcome", "permitted", "tier", "fallback")
                        .functionCounter()
                        .count())
                .isEqualTo(2);
        assertThat(registry.get("ratelimit.store").timers().stream()
                        .filter(timer -> !"ok".equals(timer.getId().getTag("result"))))
                .singleElement()
                .satisfies(timer -> assertThat(timer.count()).isEqualTo(2));
        assertThat(registry.get("ratelimit.decisions").functionCounters()).hasSize(12);
    }

    @Test
    void prometheusWhenZonesDifferThenOneScrapeShowsAllOfThemWithEqualTagKeys() {
        Zone shared = zone("shared", "5/m", 5).shared(new Sharing(OnFailure.ALLOW, null, 1));
        Zone own = zone("own", "1/m", 1);
        fixture.enforce(List.of(shared, own));
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        meters.bindTo(prometheus);
        fixture.draw(shared, "alice");
        fixture.draw(own, "alice");
        fixture.draw(own, "alice");
        assertThat(prometheus.scrape())
                .contains("ratelimit_decisions_total{outcome=\"permitted\",tier=\"fallback\",zone=\"shared\"} 1.0")
                .contains("ratelimit_decisions_total{outcome=\"permitted\",tier=\"local\",zone=\"own\"} 1.0")
                .contains("ratelimit_decisions_total{outcome=\"rejected\",tier=\"local\",zone=\"own\"} 1.0");
    }

    @Test
    void bindToWhenThePolicyComesLaterThenFollowsIt() {
        meters.bindTo(registry);
        assertThat(registry.getMeters()).isEmpty();
        fixture.enforce(List.of(zone("login", "30/m", 5), zone("api", "10/s", 20)));
        assertThat(registry.getMeters()).hasSize(2 * SERIES_OF_A_ZONE);
    }

    @Test
    void policyWhenItChangesThenZonesComeGoAndStayWithTheirCounts() {
        Zone stays = zone("stays", "30/m", 5);
        fixture.enforce(List.of(stays, zone("goes", "1/s", 1)));
        meters.bindTo(registry);
        fixture.draw(stays, "alice");
        Zone faster = zone("stays", "60/m", 10);
        fixture.enforce(List.of(faster, zone("comes", "1/s", 1)));
        fixture.draw(faster, "alice");
        assertThat(registry.getMeters())
                .extracting(meter -> meter.getId().getTag("zone"))
                .containsOnly("stays", "comes")
                .hasSize(2 * SERIES_OF_A_ZONE);
        assertThat(decisions("stays", "permitted")).isEqualTo(2);
    }

    @Test
    void policyWhenAZoneIsSharedFromNowOnAndNoLongerThenItsTiersComeAndGo() {
        Zone own = zone("zone", "30/m", 5);
        fixture.enforce(List.of(own));
        meters.bindTo(registry);
        assertThat(tiers()).containsOnly("local");
        fixture.enforce(List.of(own.shared(new Sharing(OnFailure.ALLOW, null, 1))));
        assertThat(tiers()).containsOnly("local", "redis", "fallback");
        fixture.enforce(List.of(own));
        assertThat(tiers()).containsOnly("local");
    }

    private List<@Nullable String> tiers() {
        return registry.get("ratelimit.decisions").functionCounters().stream()
                .map(counter -> counter.getId().getTag("tier"))
                .toList();
    }

    @Test
    void gaugesWhenNobodyElseHoldsThemThenOutliveAGarbageCollection() {
        fixture.enforce(List.of(zone("login", "30/m", 5)));
        new RateLimitMeters(fixture.policies(), fixture.limiter()).bindTo(registry);
        WeakReference<Object> canary = new WeakReference<>(new Object());
        Awaitility.await().until(() -> {
            System.gc();
            return canary.refersTo(null);
        });
        assertThat(gauge("ratelimit.zone.max.keys", "login")).isEqualTo(100_000);
    }

    @Test
    void closeThenNothingIsLeftInAnyRegistryAndNothingComesBack() {
        registry.config().commonTags("application", "shop").meterFilter(MeterFilter.denyNameStartsWith("other"));
        CompositeMeterRegistry composite = new CompositeMeterRegistry();
        SimpleMeterRegistry part = new SimpleMeterRegistry();
        composite.add(part);
        fixture.enforce(List.of(zone("login", "30/m", 5)));
        meters.bindTo(registry);
        meters.bindTo(composite);
        assertThat(part.getMeters()).hasSize(SERIES_OF_A_ZONE);
        meters.close();
        fixture.enforce(List.of(zone("login", "30/m", 5), zone("api", "10/s", 20)));
        assertThat(registry.getMeters()).isEmpty();
        assertThat(composite.getMeters()).isEmpty();
        assertThat(part.getMeters()).isEmpty();
    }

    @Test
    void scrapeThenPrometheusShowsEveryZoneUnderTheNamesOfTheContract() {
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        Zone login = zone("login", "1/m", 1);
        fixture.enforce(List.of(login, zone("POST /search", "2/s", 8)));
        meters.bindTo(prometheus);
        fixture.draw(login, "alice");
        fixture.draw(login, "alice");
        assertThat(prometheus.scrape().lines().filter(line -> !line.startsWith("#")))
                .contains(
                        "ratelimit_decisions_total{outcome=\"permitted\",tier=\"local\",zone=\"login\"} 1.0",
                        "ratelimit_decisions_total{outcome=\"rejected\",tier=\"local\",zone=\"login\"} 1.0",
                        "ratelimit_decisions_total{outcome=\"delayed\",tier=\"local\",zone=\"POST /search\"} 0.0",
                        "ratelimit_zone_keys{zone=\"login\"} 1.0",
                        "ratelimit_zone_max_keys{zone=\"POST /search\"} 100000.0",
                        "ratelimit_zone_shared_total{zone=\"login\"} 0.0")
                .hasSize(2 * SERIES_OF_A_ZONE);
    }

    @Test
    void idsThenMetersOfOneNameHaveEqualTagKeysAndEveryMeterIsDescribed() {
        fixture.enforce(List.of(zone("login", "30/m", 5), zone("api", "10/s", 20)));
        meters.bindTo(registry);
        registry.getMeters().stream()
                .collect(Collectors.groupingBy(
                        meter -> meter.getId().getName(),
                        Collectors.mapping(RateLimitMetersTests::tagKeys, Collectors.toSet())))
                .forEach((name, keys) -> assertThat(keys).as(name).hasSize(1));
        assertThat(registry.getMeters())
                .allSatisfy(meter -> assertThat(meter.getId().getDescription()).isNotBlank());
    }

    private Set<Meter.Id> ids() {
        return registry.getMeters().stream().map(Meter::getId).collect(Collectors.toSet());
    }

    private double decisions(String zone, String outcome) {
        return registry.get("ratelimit.decisions")
                .tags("zone", zone, "outcome", outcome, "tier", "local")
                .functionCounter()
                .count();
    }

    private double gauge(String name, String zone) {
        return registry.get(name).tag("zone", zone).gauge().value();
    }

    private static double sumOfDecisions(MeterRegistry registry) {
        return registry.get("ratelimit.decisions").functionCounters().stream()
                .mapToDouble(FunctionCounter::count)
                .sum();
    }

    private static List<String> tagKeys(Meter meter) {
        return meter.getId().getTags().stream().map(Tag::getKey).toList();
    }
}
