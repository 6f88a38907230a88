package io.github.ratelimit.limiter;

import static io.github.ratelimit.limiter.Zones.KEY;
import static io.github.ratelimit.limiter.Zones.charge;
import static io.github.ratelimit.limiter.Zones.zone;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.ratelimit.Decision;
import io.github.ratelimit.Decision.Outcome;
import io.github.ratelimit.Decision.Reason;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.policy.Policy;
import io.github.ratelimit.policy.Rule;
import io.github.ratelimit.policy.RuleTable;
import io.github.ratelimit.policy.Zone;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class RateLimiterTests {

    private final Zones zones = new Zones();
    private final RateLimiter limiter = zones.limiter;
    private final Zone narrow = zone("narrow", "2/s", 2);
    private final Zone wide = zone("wide", "10/m", 10);

    @AfterEach
    void close() {
        zones.close();
    }

    @Test
    void acquireWhenThereIsNothingToPayThenIsNull() {
        assertThat(limiter.acquire(List.of())).isNull();
    }

    @Test
    void acquireWhenOneZoneThenSaysDecision() {
        Decision decision = acquire(charge(wide)).decision();
        assertThat(decision)
                .isEqualTo(new Decision(
                        Outcome.PERMITTED,
                        "wide",
                        null,
                        10,
                        9,
                        Duration.ofMinutes(1),
                        Duration.ofSeconds(6),
                        null,
                        Duration.ZERO));
    }

    @Test
    void acquireWhenOneZoneRefusesThenOthersAreNotChargedInEitherOrder() {
        for (List<Charge> order : orders(charge(narrow), charge(wide))) {
            Zones fresh = new Zones();
            int admitted = 0;
            for (int i = 0; i < 20; i++) {
                admitted += permitted(fresh.limiter, order) ? 1 : 0;
            }
            assertThat(admitted).isEqualTo(2);
            assertThat(fresh.left(wide)).isEqualTo(8);
            for (int i = 0; i < 10; i++) {
                fresh.advance(Duration.ofMillis(1_100));
                admitted += permitted(fresh.limiter, order) ? 1 : 0;
            }
            // 10, and what came back in 11 seconds
            assertThat(admitted).isEqualTo(11);
            fresh.close();
        }
    }

    @Test
    void acquireWhenSeveralRefuseThenNamesTheLongestWait() {
        Zone hourly = zone("hourly", "1/h", 1);
        for (List<Charge> order : orders(charge(hourly), charge(zone("minutely", "1/m", 1)))) {
            acquire(order.get(0), order.get(1));
            Decision decision = acquire(order.get(0), order.get(1)).decision();
            assertThat(decision.zone()).isEqualTo("hourly");
            assertThat(decision.reason()).isEqualTo(Reason.LIMIT);
            assertThat(decision.retryAfter()).isEqualTo(Duration.ofHours(1));
        }
    }

    @Test
    void acquireWhenNoWaitHelpsThenThatZoneIsNamed() {
        spend(narrow, 2);
        Decision decision =
                acquire(charge(narrow), new Charge(wide, KEY, 11, false)).decision();
        assertThat(decision.zone()).isEqualTo("wide");
        assertThat(decision.reason()).isEqualTo(Reason.COST);
        assertThat(decision.retryAfter()).isNull();
    }

    @Test
    void acquireWhenAllAdmitThenNamesTheFewestPermitsLeft() {
        for (List<Charge> order : orders(charge(narrow), charge(wide))) {
            assertThat(Objects.requireNonNull(limiter.acquire(order)).decision().zone())
                    .isEqualTo("narrow");
        }
    }

    @Test
    void acquireWhenChargeIsDryRunThenDecidesAndCountsAndNeverRefuses() {
        for (int i = 0; i < 5; i++) {
            assertThat(acquire(new Charge(narrow, KEY, 1, true)).decision().outcome())
                    .isEqualTo(i < 2 ? Outcome.PERMITTED : Outcome.DRY_RUN_REJECTED);
        }
        ZoneStatistics statistics = limiter.statistics(narrow);
        assertThat(statistics.count(Outcome.PERMITTED)).isEqualTo(2);
        assertThat(statistics.count(Outcome.DRY_RUN_REJECTED)).isEqualTo(3);
        assertThat(statistics.rejections(Reason.LIMIT)).isZero();
        assertThat(statistics.lastRejectedAt()).isNull();
    }

    @Test
    void acquireWhenDryRunZoneIsSpentThenTheOtherIsChargedAndSaysTheDecision() {
        spend(narrow, 2);
        for (List<Charge> order : orders(new Charge(narrow, KEY, 1, true), charge(wide))) {
            Ruling ruling = Objects.requireNonNull(limiter.acquire(order));
            assertThat(ruling.decision().zone()).isEqualTo("wide");
            assertThat(ruling.decision().outcome()).isEqualTo(Outcome.PERMITTED);
            assertThat(ruling.zones()).extracting(Decision::outcome).contains(Outcome.DRY_RUN_REJECTED);
        }
        assertThat(zones.left(wide)).isEqualTo(8);
    }

    @Test
    void acquireWhenRefusedThenDryRunZoneIsNotChargedEither() {
        spend(narrow, 2);
        assertThat(acquire(new Charge(wide, KEY, 1, true), charge(narrow))
                        .decision()
                        .permitted())
                .isFalse();
        assertThat(zones.left(wide)).isEqualTo(10);
    }

    @Test
    void acquireWhenKeyIsMissingThenIsRefusedForGood() {
        Charge keyless = new Charge(narrow, null, 1, false);
        for (List<Charge> order : orders(keyless, charge(wide))) {
            Decision decision = Objects.requireNonNull(limiter.acquire(order)).decision();
            assertThat(decision.outcome()).isEqualTo(Outcome.REJECTED);
            assertThat(decision.reason()).isEqualTo(Reason.MISSING_KEY);
            assertThat(decision.retryAfter()).isNull();
        }
        assertThat(zones.left(wide)).isEqualTo(10);
        assertThat(acquire(new Charge(narrow, null, 1, true)).decision().outcome())
                .isEqualTo(Outcome.DRY_RUN_REJECTED);
    }

    @Test
    void statisticsWhenDrawnThenSumUp() {
        spend(narrow, 5);
        zones.advance(Duration.ofSeconds(1));
        spend(narrow, 1);
        acquire(new Charge(narrow, KEY, 3, false));
        ZoneStatistics statistics = limiter.statistics(narrow);
        assertThat(statistics.count(Outcome.PERMITTED, Tier.LOCAL)).isEqualTo(3);
        assertThat(statistics.count(Outcome.REJECTED, Tier.LOCAL)).isEqualTo(4);
        assertThat(statistics.count(Outcome.REJECTED, Tier.REDIS)).isZero();
        assertThat(statistics.count(Outcome.DELAYED)).isZero();
        assertThat(statistics.rejections(Reason.LIMIT)).isEqualTo(3);
        assertThat(statistics.rejections(Reason.COST)).isEqualTo(1);
        assertThat(statistics.lastRejectedAt()).isEqualTo(Instant.ofEpochSecond(1));
    }

    @Test
    void statisticsWhenRuleIsCompiledAnewThenGoOn() {
        limiter.statistics(rule("a")).count(true);
        limiter.statistics(rule("a")).count(false);
        assertThat(limiter.statistics(rule("a")).permitted()).isEqualTo(1);
        assertThat(limiter.statistics(rule("a")).rejected()).isEqualTo(1);
        assertThat(limiter.statistics(rule("b")).permitted()).isZero();
    }

    @Test
    void peekWhenAskedThenSpendsAndCountsNothing() {
        for (int i = 0; i < 5; i++) {
            assertThat(limiter.peek(narrow, KEY).remaining()).isEqualTo(1);
        }
        spend(narrow, 2);
        assertThat(limiter.peek(narrow, KEY).retryAfter()).isEqualTo(Duration.ofMillis(500));
        assertThat(limiter.statistics(narrow).count(Outcome.REJECTED)).isZero();
    }

    @Test
    void acquireWhenZoneIsConfiguredAnewThenKeepsStateAndCountersAndTakesTheBound() {
        spend(narrow, 2);
        Zone changed = zone("narrow", "4/s", 4, 5, Zone.WhenFull.REJECT);
        limiter.configure(new Policy(false, Map.of("narrow", changed), List.of(), new RuleTable(List.of(), true)));
        spend(changed, 3);
        assertThat(limiter.usage(changed).maxKeys()).isEqualTo(5);
        assertThat(limiter.statistics(changed).count(Outcome.PERMITTED)).isEqualTo(4);
        assertThat(limiter.statistics(changed).count(Outcome.REJECTED)).isEqualTo(1);
    }

    @Test
    void acquireWhenZoneIsFullThenWarnsAtMostOnceAMinute() {
        Logger logger = (Logger) LoggerFactory.getLogger(RateLimiter.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            Zone tiny = zone("tiny", "1/d", 1, 1, Zone.WhenFull.REJECT);
            acquire(charge(tiny));
            assertThat(lines.list).isEmpty();
            for (int second = 0; second < 150; second++) {
                for (int i = 0; i < 10; i++) {
                    RateLimitKey newcomer = RateLimitKey.ofText("secret-" + i);
                    Decision decision =
                            acquire(new Charge(tiny, newcomer, 1, false)).decision();
                    assertThat(decision.reason()).isEqualTo(Reason.FULL);
                }
                zones.advance(Duration.ofSeconds(1));
            }
        } finally {
            logger.detachAppender(lines);
        }
        assertThat(lines.list).hasSize(3).allSatisfy(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.WARN);
            assertThat(line.getFormattedMessage())
                    .contains("'tiny'", "max-keys")
                    .doesNotContain("secret");
        });
    }

    @Test
    void acquireWhenZoneIsFullAndSharesThenSaysSo() {
        Zone tiny = zone("tiny", "1/d", 1, 1, Zone.WhenFull.SHARE);
        acquire(charge(tiny));
        Charge newcomer = new Charge(tiny, RateLimitKey.ofText("newcomer"), 1, false);
        assertThat(acquire(newcomer).decision().outcome()).isEqualTo(Outcome.PERMITTED);
        assertThat(acquire(newcomer).decision().reason()).isEqualTo(Reason.SHARED);
        assertThat(limiter.usage(tiny).shared()).isEqualTo(2);
        assertThat(limiter.statistics(tiny).rejections(Reason.SHARED)).isEqualTo(1);
    }

    private Ruling acquire(Charge... charges) {
        return Objects.requireNonNull(limiter.acquire(List.of(charges)));
    }

    private void spend(Zone zone, int times) {
        for (int i = 0; i < times; i++) {
            acquire(charge(zone));
        }
    }

    private static boolean permitted(RateLimiter limiter, List<Charge> charges) {
        return Objects.requireNonNull(limiter.acquire(charges)).decision().permitted();
    }

    private static List<List<Charge>> orders(Charge a, Charge b) {
        return List.of(List.of(a, b), List.of(b, a));
    }

    private static Rule rule(String source) {
        return new Rule("/a", Set.of(), List.of(), 1, false, false, source);
    }
}
