package io.github.ratelimit.limiter;

import static io.github.ratelimit.limiter.Zones.KEY;
import static io.github.ratelimit.limiter.Zones.zone;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.ratelimit.Decision;
import io.github.ratelimit.Decision.Outcome;
import io.github.ratelimit.Decision.Reason;
import io.github.ratelimit.algorithm.LeakyBucket;
import io.github.ratelimit.algorithm.Penalty;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.policy.Allowance;
import io.github.ratelimit.policy.Allowance.Grant;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.store.Bans.Standing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** Bans as requests meet them: one permit a minute, three refusals within ten minutes, a ban of an hour that doubles. */
class PenaltyBoxTests {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Penalty PENALTY =
            new Penalty(3, nanos(Duration.ofMinutes(10)), nanos(HOUR), 2, nanos(Duration.ofHours(24)), 3);

    private final Zones zones = new Zones();
    private final RateLimiter limiter = zones.limiter;
    private final Zone strict = zone("strict", "1/m", 1).punishing(PENALTY);
    private final List<KeyBanned> told = new ArrayList<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger(RateLimiter.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    @BeforeEach
    void listen() {
        limiter.onNews(new LimiterListener() {
            @Override
            public void banned(KeyBanned ban) {
                told.add(ban);
            }
        });
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void close() {
        logger.detachAppender(lines);
        zones.close();
    }

    @Test
    void acquireWhenRefusedTooOftenThenTheKeyIsBannedAndNoStoreIsAsked() {
        assertThat(draw(4)).containsExactly(null, Reason.LIMIT, Reason.LIMIT, Reason.LIMIT);
        zones.advance(Duration.ofMinutes(2));
        Decision decision = draw(strict, KEY, false);
        assertThat(decision.outcome()).isEqualTo(Outcome.REJECTED);
        assertThat(decision.reason()).isEqualTo(Reason.PENALTY);
        assertThat(decision.retryAfter()).isEqualTo(Duration.ofMinutes(58));
        assertThat(decision.remaining()).isZero();
        assertThat(limiter.peek(strict, KEY, 0).remaining()).isOne();
        assertThat(draw(strict, RateLimitKey.ofText("other"), false).permitted())
                .isTrue();
    }

    @Test
    void acquireWhenTheRefusalLeadsToABanThenSaysTheWaitOfTheBanAndThatItWasTheLimit() {
        draw(2);
        assertThat(draw(strict, KEY, false).retryAfter()).isEqualTo(Duration.ofMinutes(1));
        Decision last = draw(strict, KEY, false);
        assertThat(last.reason()).isEqualTo(Reason.LIMIT);
        assertThat(last.retryAfter()).isEqualTo(HOUR);
        assertThat(last.resetAfter()).isEqualTo(HOUR);
        zones.advance(HOUR);
        assertThat(draw(strict, KEY, false).permitted()).isTrue();
    }

    @Test
    void acquireWhenTheRefusalLeadsToABanWithoutEndThenNoWaitHelps() {
        Zone last = zone("last", "1/m", 1).punishing(penalty(HOUR, 1));
        draw(last, KEY, false);
        assertThat(draw(last, KEY, false).retryAfter()).isEqualTo(Duration.ofMinutes(1));
        Decision refusal = draw(last, KEY, false);
        assertThat(refusal.reason()).isEqualTo(Reason.LIMIT);
        assertThat(refusal.retryAfter()).isNull();
        assertThat(refusal.counted()).isFalse();
        assertThat(limiter.peek(last, KEY).counted()).isFalse();
    }

    @Test
    void acquireWhenTheQuotaComesBackLaterThanTheBanEndsThenSaysTheLongerWait() {
        Zone slow = zone("slow", "1/h", 1).punishing(penalty(Duration.ofSeconds(1), 100));
        draw(slow, KEY, false);
        draw(slow, KEY, false);
        assertThat(draw(slow, KEY, false).retryAfter()).isEqualTo(HOUR);
        Decision banned = draw(slow, KEY, false);
        assertThat(banned.reason()).isEqualTo(Reason.PENALTY);
        assertThat(banned.retryAfter()).isEqualTo(HOUR);
        assertThat(banned.resetAfter()).isEqualTo(HOUR);
        assertThat(limiter.peek(slow, KEY)).isEqualTo(banned);
        zones.advance(HOUR);
        assertThat(draw(slow, KEY, false).permitted()).isTrue();
    }

    @Test
    void acquireWhenBannedThenTheQuotaIsNotWholeBeforeTheBanEnds() {
        draw(4);
        Decision banned = draw(strict, KEY, false);
        assertThat(banned.resetAfter()).isEqualTo(HOUR);
        assertThat(banned.counted()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(
            value = Grant.class,
            names = {"UNLIMITED", "DENIED"})
    void acquireWhenAnOverrideSaysWhatBecomesOfABannedKeyThenThatStands(Grant grant) {
        draw(4);
        Decision decision = Objects.requireNonNull(limiter.acquire(
                        List.of(new Charge(strict, KEY, 1, false, new Allowance(grant, strict.algorithm())))))
                .decision();
        assertThat(decision.permitted()).isEqualTo(grant == Grant.UNLIMITED);
        assertThat(decision.reason()).isEqualTo(grant == Grant.UNLIMITED ? null : Reason.DENIED);
    }

    @Test
    void acquireWhenRefusedWhileBannedThenTheBanIsNotProlongedAndNothingCounts() {
        draw(4);
        zones.advance(HOUR.minusNanos(1));
        draw(50);
        assertThat(limiter.standing(strict, KEY).strikes()).isZero();
        zones.advance(Duration.ofNanos(1));
        assertThat(draw(strict, KEY, false).permitted()).isTrue();
        assertThat(told).hasSize(1);
    }

    @Test
    void acquireWhenBannedThenEventAndWarningComeOnce() {
        draw(20);
        assertThat(told).containsExactly(new KeyBanned("strict", KEY, Instant.EPOCH, HOUR, 1, false));
        assertThat(lines.list)
                .filteredOn(line -> line.getLevel() == Level.WARN)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("Zone 'strict' bans key k* for PT1H, its ban number 1");
        assertThat(limiter.statistics(strict).bans()).isOne();
        assertThat(limiter.statistics(strict).rejections(Reason.PENALTY)).isEqualTo(16);
    }

    @Test
    void acquireWhenBannedAgainAndAgainThenStaysUntilReleased() {
        for (int ban = 1; ban <= 2; ban++) {
            draw(4);
            assertThat(draw(strict, KEY, false).retryAfter()).isEqualTo(HOUR.multipliedBy(ban));
            zones.advance(HOUR.multipliedBy(ban));
        }
        draw(4);
        zones.advance(Duration.ofDays(300));
        Decision decision = draw(strict, KEY, false);
        assertThat(decision.reason()).isEqualTo(Reason.PENALTY);
        assertThat(decision.retryAfter()).isNull();
        assertThat(told).extracting(KeyBanned::duration).containsExactly(HOUR, HOUR.multipliedBy(2), null);

        limiter.forget(strict, KEY);
        assertThat(draw(4)).containsExactly(null, Reason.LIMIT, Reason.LIMIT, Reason.LIMIT);
        assertThat(draw(strict, KEY, false).retryAfter()).isEqualTo(HOUR);
    }

    @Test
    void forgetThenTheKeyIsAsIfItHadNeverDrawn() {
        draw(4);
        limiter.forget(strict, KEY);
        assertThat(limiter.standing(strict, KEY)).isEqualTo(new Standing(0, null));
        assertThat(draw(strict, KEY, false).permitted()).isTrue();
    }

    @Test
    void acquireWhenSeveralZonesAreChargedThenOnlyTheOneThatRefusedCounts() {
        Zone wide = zone("wide", "100/m", 100).punishing(PENALTY);
        Charge[] both = {new Charge(wide, KEY, 1, false), new Charge(strict, KEY, 1, false)};
        for (int i = 0; i < 10; i++) {
            limiter.acquire(List.of(both));
        }
        assertThat(limiter.standing(wide, KEY)).isEqualTo(new Standing(0, null));
        assertThat(zones.left(wide)).isEqualTo(99);
        assertThat(Objects.requireNonNull(limiter.acquire(List.of(both)))
                        .decision()
                        .zone())
                .isEqualTo("strict");
    }

    @Test
    void acquireWhenTheKeyDidNotUseUpItsOwnQuotaThenNothingCounts() {
        Zone full = zone("full", "1/m", 1, 1, Zone.WhenFull.REJECT).punishing(PENALTY);
        Zone sharing = zone("sharing", "1/m", 1, 1, Zone.WhenFull.SHARE).punishing(PENALTY);
        RateLimitKey newcomer = RateLimitKey.ofText("newcomer");
        for (Zone zone : List.of(full, sharing)) {
            draw(zone, KEY, false);
            for (int i = 0; i < 20; i++) {
                draw(zone, newcomer, false);
            }
            assertThat(limiter.standing(zone, newcomer)).isEqualTo(new Standing(0, null));
        }
        for (int i = 0; i < 20; i++) {
            limiter.acquire(List.of(new Charge(strict, KEY, 7, false)));
            limiter.acquire(List.of(new Charge(strict, null, 1, false)));
        }
        assertThat(told).isEmpty();
    }

    @Test
    void acquireWhenThereIsNoSeatToWaitOnThenNothingCounts() {
        Zone slow = zone("slow", LeakyBucket.of(Rate.parse("1/m"), 100, 0)).punishing(PENALTY);
        zones.seats.left.set(0);
        for (int i = 0; i < 20; i++) {
            draw(slow, KEY, false);
        }
        assertThat(told).isEmpty();
    }

    @Test
    void acquireWhenInDryRunThenTheBanOnlyMarksAndNeverKeepsAnEnforcedRequestOut() {
        for (int i = 0; i < 4; i++) {
            assertThat(draw(strict, KEY, true).permitted()).isTrue();
        }
        Decision marked = draw(strict, KEY, true);
        assertThat(marked.outcome()).isEqualTo(Outcome.DRY_RUN_REJECTED);
        assertThat(marked.reason()).isEqualTo(Reason.PENALTY);
        assertThat(told).containsExactly(new KeyBanned("strict", KEY, Instant.EPOCH, HOUR, 1, true));
        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .contains("Zone 'strict' would ban key k* for PT1H, its ban number 1");
        zones.advance(Duration.ofMinutes(1));
        assertThat(draw(strict, KEY, false).permitted()).isTrue();
        assertThat(limiter.standing(strict, KEY)).isEqualTo(new Standing(0, null));
        limiter.forget(strict, KEY);
        assertThat(draw(strict, KEY, true).outcome()).isEqualTo(Outcome.PERMITTED);
    }

    @Test
    void acquireWhenBannedForRealThenADryRunIsMarkedAndItsOtherZonesAreCharged() {
        draw(4);
        Zone wide = zone("wide", "100/m", 100);
        Ruling ruling = Objects.requireNonNull(
                limiter.acquire(List.of(new Charge(strict, KEY, 1, true), new Charge(wide, KEY, 1, false))));
        assertThat(ruling.decision().permitted()).isTrue();
        assertThat(ruling.zones()).extracting(Decision::reason).containsExactly(Reason.PENALTY, null);
        assertThat(zones.left(wide)).isEqualTo(99);
    }

    @Test
    void acquireWhenAListenerThrowsThenTheRequestIsDecidedAllTheSame() {
        limiter.onNews(new LimiterListener() {
            @Override
            public void banned(KeyBanned ban) {
                throw new IllegalStateException("broken");
            }
        });
        assertThat(draw(5)).containsExactly(null, Reason.LIMIT, Reason.LIMIT, Reason.LIMIT, Reason.PENALTY);
    }

    private List<Reason> draw(int times) {
        List<Reason> reasons = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            reasons.add(draw(strict, KEY, false).reason());
        }
        return reasons;
    }

    private Decision draw(Zone zone, RateLimitKey key, boolean dryRun) {
        return Objects.requireNonNull(limiter.acquire(List.of(new Charge(zone, key, 1, dryRun))))
                .decision();
    }

    /** Two refusals within an hour, and a ban of this length. */
    private static Penalty penalty(Duration ban, int permanentAfter) {
        return new Penalty(2, nanos(HOUR), nanos(ban), 1, nanos(ban), permanentAfter);
    }

    private static long nanos(Duration duration) {
        return duration.toNanos();
    }
}
