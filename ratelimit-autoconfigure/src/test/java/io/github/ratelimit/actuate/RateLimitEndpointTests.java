package io.github.ratelimit.actuate;

import static io.github.ratelimit.fixture.LimiterFixture.rule;
import static io.github.ratelimit.fixture.LimiterFixture.zone;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.ratelimit.actuate.LimitsDescriptor.RuleDescriptor;
import io.github.ratelimit.actuate.LimitsDescriptor.StoreDescriptor;
import io.github.ratelimit.actuate.RejectionDescriptors.RecentRejection;
import io.github.ratelimit.actuate.RejectionDescriptors.TopRejected;
import io.github.ratelimit.actuate.ZoneDescriptor.AdviceDescriptor;
import io.github.ratelimit.actuate.ZoneDescriptor.DecisionCounts;
import io.github.ratelimit.actuate.ZoneDescriptor.RejectionCounts;
import io.github.ratelimit.algorithm.Concurrency;
import io.github.ratelimit.algorithm.Penalty;
import io.github.ratelimit.fixture.LimiterFixture;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.policy.Allowance;
import io.github.ratelimit.policy.Allowance.Grant;
import io.github.ratelimit.policy.KeyedAllowances;
import io.github.ratelimit.policy.Limits;
import io.github.ratelimit.policy.Policy;
import io.github.ratelimit.policy.Rule;
import io.github.ratelimit.policy.RuleTable;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.policy.Zone.WhenFull;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;

class RateLimitEndpointTests {

    private static final long SECOND = 1_000_000_000L;

    private final LimiterFixture fixture = new LimiterFixture();
    private final Zone login = zone("login", "30/m", 5);
    private final RateLimitEndpoint endpoint = new RateLimitEndpoint(
            fixture.policies(),
            fixture.limiter(),
            new KeyMask(Show.NEVER, Set.of()),
            LimiterFixture.CHANGER,
            AnnotatedKeys.NONE,
            () -> LimiterFixture.NOW);

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void limitsWhenNothingIsConfiguredThenEmpty() {
        assertThat(endpoint.limits()).isEqualTo(new LimitsDescriptor(false, Map.of(), List.of(), null));
    }

    @Test
    void limitsWhenEverythingIsInDryRunThenSaysSo() {
        fixture.policies().set(new Policy(true, Map.of(), List.of(), new RuleTable(List.of(), true)));
        assertThat(endpoint.limits().dryRun()).isTrue();
    }

    @Test
    void limitsThenZonesAndRulesStandInTheOrderInWhichTheyWereWritten() {
        Zone api = zone("api", "10/s", 20);
        fixture.enforce(List.of(login, api), rule("/z", Set.of("PUT", "POST"), login, api), rule("/a", Set.of()));
        LimitsDescriptor limits = endpoint.limits();
        assertThat(limits.zones().keySet()).containsExactly("login", "api");
        assertThat(limits.rules())
                .containsExactly(
                        new RuleDescriptor(
                                "/z", List.of("POST", "PUT"), List.of("login", "api"), "application.yml", 0, 0),
                        new RuleDescriptor("/a", List.of(), List.of(), "application.yml", 0, 0));
    }

    @Test
    void limitsWhenARuleCountedThenShowsItsCounts() {
        Rule rule = rule("/api/login", Set.of("POST"), login);
        fixture.enforce(List.of(login), rule);
        fixture.limiter().statistics(rule).count(true);
        fixture.limiter().statistics(rule).count(true);
        fixture.limiter().statistics(rule).count(false);
        RuleDescriptor shown = endpoint.limits().rules().get(0);
        assertThat(shown.permitted()).isEqualTo(2);
        assertThat(shown.rejected()).isEqualTo(1);
    }

    @Test
    void zoneWhenNeverUsedThenShowsTheConfiguration() {
        fixture.enforce(List.of(login));
        assertThat(endpoint.zone("login"))
                .isEqualTo(new ZoneDescriptor(
                        List.of("text"),
                        "token-bucket",
                        "30/m",
                        5L,
                        null,
                        "local",
                        false,
                        0,
                        100_000,
                        0,
                        false,
                        new DecisionCounts(0, 0, 0, 0),
                        new RejectionCounts(0, 0, 0, 0, 0, 0, 0, 0),
                        null,
                        List.of(),
                        List.of(),
                        new AdviceDescriptor(0, 0, 0, 0, null, null)));
        assertThat(endpoint.limits().zones().get("login"))
                .extracting(ZoneDescriptor::topRejected, ZoneDescriptor::recentRejections, ZoneDescriptor::advice)
                .containsOnlyNulls();
    }

    @Test
    void zoneWhenItRefusedForEveryReasonThenReasonsAddUpToTheRejectedDecisions() {
        Zone full = zone("full", "1/m", 1, 1, WhenFull.REJECT);
        Zone shared = zone("shared", "1/m", 1, 1, WhenFull.SHARE);
        fixture.enforce(List.of(full, shared));
        for (Zone zone : List.of(full, shared)) {
            fixture.draw(zone, "first");
            fixture.draw(zone, "first");
            fixture.draw(zone, "newcomer");
            fixture.draw(zone, "newcomer");
            fixture.draw(zone, null, 1, false);
            fixture.draw(zone, RateLimitKey.ofText("first"), 2, false);
            fixture.draw(zone, RateLimitKey.ofText("first"), 1, true);
        }
        ZoneDescriptor refusing = shown("full");
        assertThat(refusing.decisions()).isEqualTo(new DecisionCounts(1, 0, 5, 1));
        assertThat(refusing.rejections()).isEqualTo(new RejectionCounts(1, 0, 2, 0, 0, 0, 1, 1));
        assertThat(refusing.full()).isTrue();
        assertThat(refusing.usage()).isEqualTo(1);
        assertThat(refusing.lastRejectedAt()).isEqualTo(LimiterFixture.NOW);
        ZoneDescriptor sharing = shown("shared");
        assertThat(sharing.decisions()).isEqualTo(new DecisionCounts(2, 0, 4, 1));
        assertThat(sharing.rejections()).isEqualTo(new RejectionCounts(1, 1, 0, 0, 0, 0, 1, 1));
    }

    @Test
    void zoneWhenItRefusedThenTellsWhomOfLateAndWhomMost() {
        fixture.enforce(List.of(login));
        for (int i = 0; i < 7; i++) {
            fixture.draw(login, "alice");
        }
        fixture.draw(login, RateLimitKey.ofText("bob\n"), 6, false);
        fixture.draw(login, null, 1, false);
        ZoneDescriptor zone = shown("login");
        assertThat(zone.topRejected())
                .containsExactly(
                        new TopRejected("al*", 2, LimiterFixture.NOW), new TopRejected("bo*", 1, LimiterFixture.NOW));
        assertThat(zone.recentRejections())
                .containsExactly(
                        recent(null, "missingKey"),
                        recent("bo*", "cost"),
                        recent("al*", "limit"),
                        recent("al*", "limit"));
    }

    @Test
    void zoneWhenAClientSendsControlCharactersThenTheyAreSpelledOut() {
        fixture.enforce(List.of(login));
        fixture.draw(login, RateLimitKey.ofText("\u202e\n\r\t"), 6, false);
        assertThat(shown("login").topRejected()).extracting(TopRejected::key).containsExactly("\\u202e\\u000a*");
    }

    @Test
    void zoneWhenThereWasTrafficThenAdvisesAlsoInDryRun() {
        Zone dry = new Zone("dry", login.key(), login.algorithm(), 100, WhenFull.SHARE, true);
        fixture.enforce(List.of(dry));
        for (int i = 0; i < 10; i++) {
            fixture.draw(dry, "alice");
        }
        assertThat(shown("dry").advice()).isEqualTo(new AdviceDescriptor(1, 10, 10, 10, "12/s", 48L));
        assertThat(shown("dry").topRejected()).containsExactly(new TopRejected("al*", 5, LimiterFixture.NOW));
    }

    @Test
    void zoneWhenItLimitsConcurrencyThenAdvisesNoRate() {
        Zone slots = new Zone("slots", login.key(), new Concurrency(2), 100, WhenFull.SHARE, false);
        fixture.enforce(List.of(slots));
        fixture.draw(slots, "alice");
        assertThat(shown("slots").advice()).isEqualTo(new AdviceDescriptor(1, 1, 1, 1, null, null));
    }

    @Test
    void keyWhenItIsOnItsWayToABanThenTellsItsStrikesAndThenItsBan() {
        Zone strict = login.punishing(new Penalty(3, 60 * SECOND, 600 * SECOND, 2, 86_400 * SECOND, 2));
        fixture.enforce(List.of(strict));
        for (int i = 0; i < 7; i++) {
            fixture.draw(strict, "alice");
        }
        assertThat(endpoint.key("login", "alice")).isEqualTo(new KeyDescriptor("al*", 5L, 0L, 2L, 10, false, null, 2));
        fixture.draw(strict, "alice");
        assertThat(endpoint.key("login", "alice"))
                .isEqualTo(new KeyDescriptor("al*", 5L, 0L, 600L, 10, true, LimiterFixture.NOW.plusSeconds(600), 0));
        fixture.advance(600 * SECOND);
        assertThat(endpoint.key("login", "alice")).isEqualTo(unbanned("al*", 5, 0, 0));
        for (int i = 0; i < 8; i++) {
            fixture.draw(strict, "alice");
        }
        assertThat(endpoint.key("login", "alice")).isEqualTo(new KeyDescriptor("al*", 5L, 0L, null, 10, true, null, 0));
        fixture.limiter().forget(strict, RateLimitKey.ofText("alice"));
        assertThat(endpoint.key("login", "alice")).isEqualTo(unbanned("al*", 5, 0, 0));
    }

    @Test
    void keyWhenItIsUnlimitedThenNamesNoQuotaAndNoWait() {
        Zone strict = login.punishing(new Penalty(1, 60 * SECOND, 600 * SECOND, 2, 86_400 * SECOND, 2));
        fixture.enforce(List.of(strict));
        for (int i = 0; i < 6; i++) {
            fixture.draw(strict, "alice");
        }
        Allowance free = new Allowance(Grant.UNLIMITED, strict.algorithm());
        fixture.enforce(List.of(
                strict.limitedBy(new Limits(free, KeyedAllowances.NONE, KeyedAllowances.NONE, null, List.of()))));
        KeyDescriptor shown = Objects.requireNonNull(endpoint.key("login", "alice"));
        assertThat(shown.limit()).isNull();
        assertThat(shown.remaining()).isNull();
        assertThat(shown.retryAfter()).isZero();
    }

    @Test
    void zoneWhenUnknownThenNull() {
        assertThat(endpoint.zone("login")).isNull();
        assertThat(endpoint.key("login", "alice")).isNull();
    }

    @Test
    void keyWhenNeverSeenThenHasItsWholeQuota() {
        fixture.enforce(List.of(login));
        assertThat(endpoint.key("login", "alice")).isEqualTo(unbanned("al*", 5, 0, 0));
        assertThat(fixture.limiter().usage(login).keys()).isZero();
    }

    @Test
    void keyWhenUsedUpThenTellsWhatItsClientWouldBeTold() {
        fixture.enforce(List.of(login));
        for (int i = 0; i < 5; i++) {
            fixture.draw(login, "alice");
        }
        assertThat(endpoint.key("login", "alice")).isEqualTo(unbanned("al*", 0, 2, 10));
        fixture.advance(1);
        assertThat(endpoint.key("login", "alice")).isEqualTo(unbanned("al*", 0, 2, 10));
        fixture.advance(SECOND);
        assertThat(endpoint.key("login", "alice")).isEqualTo(unbanned("al*", 0, 1, 9));
        fixture.advance(SECOND - 1);
        assertThat(endpoint.key("login", "alice")).isEqualTo(unbanned("al*", 1, 0, 8));
    }

    @Test
    void keyWhenAskedForManyTimesThenSpendsAndCountsNothing() {
        fixture.enforce(List.of(login));
        fixture.draw(login, "alice");
        for (int i = 0; i < 100; i++) {
            assertThat(endpoint.key("login", "alice")).isEqualTo(unbanned("al*", 4, 0, 2));
        }
        assertThat(shown("login").decisions()).isEqualTo(new DecisionCounts(1, 0, 0, 0));
    }

    @Test
    void keyWhenTheZoneIsInDryRunThenTellsWhatItWouldBeToldOtherwise() {
        Zone dry = new Zone("dry", login.key(), login.algorithm(), 10, WhenFull.SHARE, true);
        fixture.enforce(List.of(dry));
        for (int i = 0; i < 6; i++) {
            fixture.draw(dry, "alice");
        }
        assertThat(endpoint.key("dry", "alice")).isEqualTo(unbanned("al*", 0, 2, 10));
    }

    @Test
    void keyWhenNoRequestCanHaveItThenRefusedWithTheReason() {
        fixture.enforce(List.of(login));
        assertThatThrownBy(() -> endpoint.key("login", " "))
                .isInstanceOfSatisfying(
                        InvalidEndpointRequestException.class,
                        e -> assertThat(e.getReason()).contains("login").endsWith("a text is not blank"));
    }

    @Test
    void endpointWhenTwoHundredThousandKeysAreHeldThenAnswersAtOnceAndChangesNothing() {
        Zone large = zone("large", "1/d", 1, 200_000, WhenFull.SHARE);
        fixture.enforce(List.of(large));
        for (int i = 0; i < 200_000; i++) {
            fixture.draw(large, "key-" + i);
            if (i % 4 == 0) {
                fixture.draw(large, "key-" + i);
            }
        }
        DecisionCounts before = shown("large").decisions();
        // the best of some: a machine that is busy with something else proves nothing
        assertThat(bestMillis(() -> endpoint.limits())).isLessThan(200);
        assertThat(bestMillis(() -> endpoint.zone("large"))).isLessThan(200);
        assertThat(bestMillis(() -> endpoint.key("large", "key-17"))).isLessThan(200);
        assertThat(shown("large").decisions()).isEqualTo(before);
        assertThat(shown("large").keys()).isEqualTo(200_000);
        assertThat(fixture.limiter()
                        .peek(large, RateLimitKey.ofText("unseen"), 0)
                        .remaining())
                .isOne();
    }

    private static long bestMillis(Runnable look) {
        long best = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            long start = System.nanoTime();
            look.run();
            best = Math.min(best, System.nanoTime() - start);
        }
        return best / 1_000_000;
    }

    @Test
    void accessThenReadOnlyByDefault() {
        assertThat(RateLimitEndpoint.class.getAnnotation(Endpoint.class))
                .extracting(Endpoint::defaultAccess)
                .isEqualTo(Access.READ_ONLY);
    }

    @Test
    void aotThenAnswersCanBeWrittenInANativeImage() {
        RuntimeHints hints = new RuntimeHints();
        new ReflectiveRuntimeHintsRegistrar()
                .registerRuntimeHints(hints, RateLimitEndpoint.class, RateLimitEndpointWebExtension.class);
        for (Class<?> type : List.of(
                LimitsDescriptor.class,
                RuleDescriptor.class,
                ZoneDescriptor.class,
                DecisionCounts.class,
                RejectionCounts.class,
                TopRejected.class,
                RecentRejection.class,
                AdviceDescriptor.class,
                StoreDescriptor.class,
                KeyDescriptor.class)) {
            assertThat(RuntimeHintsPredicates.reflection().onType(type)).accepts(hints);
        }
    }

    private static RecentRejection recent(@Nullable String key, String reason) {
        return new RecentRejection(LimiterFixture.NOW, null, key, null, null, null, reason, false);
    }

    private static KeyDescriptor unbanned(String key, long remaining, long retryAfter, long resetAfter) {
        return new KeyDescriptor(key, 5L, remaining, retryAfter, resetAfter, false, null, 0);
    }

    private ZoneDescriptor shown(String zone) {
        return Objects.requireNonNull(endpoint.zone(zone));
    }
}
