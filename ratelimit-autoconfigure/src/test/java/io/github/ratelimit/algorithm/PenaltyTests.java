package io.github.ratelimit.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PenaltyTests {

    private static final Penalty PENALTY = penalty(5, "PT1M", "PT10M", 2, "PT24H", 3);

    @ParameterizedTest
    @CsvSource({"1,PT10M", "2,PT20M", "3,PT40M", "7,PT10H40M", "8,PT21H20M", "9,PT24H", "10,PT24H", "1000000000,PT24H"})
    void lengthWhenBansRepeatThenGrowsToTheLongest(int number, Duration length) {
        Penalty penalty = penalty(5, "PT1M", "PT10M", 2, "PT24H", Penalty.NO_PERMANENT_BAN);
        assertThat(penalty.lengthNanos(number)).isEqualTo(length.toNanos());
    }

    @Test
    void lengthWhenTheMultiplierIsOneThenStays() {
        assertThat(penalty(5, "PT1M", "PT10M", 1, "PT24H", 9).lengthNanos(8)).isEqualTo(nanos("PT10M"));
    }

    @Test
    void lengthWhenTheMultiplierIsHugeThenDoesNotOverflow() {
        assertThat(penalty(5, "PT1M", "PT10M", Integer.MAX_VALUE, "PT9600H", 9).lengthNanos(3))
                .isEqualTo(nanos("PT9600H"));
    }

    @Test
    void lengthWhenItIsThePermanentOneThenNeverEnds() {
        assertThat(PENALTY.lengthNanos(2)).isEqualTo(nanos("PT20M"));
        assertThat(PENALTY.lengthNanos(3)).isEqualTo(Step.NEVER);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 101})
    void penaltyWhenAfterIsOutOfBoundsThenIsRefused(int after) {
        assertThatIllegalArgumentException().isThrownBy(() -> penalty(after, "PT1M", "PT10M", 2, "PT24H", 3));
    }

    @Test
    void refusedWhenTheRefusalsAreWithinTheTimeThenTheLastOneBans() {
        Conduct conduct = Conduct.BLAMELESS;
        for (int second : new int[] {0, 50, 55, 61, 62}) {
            conduct = conduct.refused(PENALTY, seconds(second));
            assertThat(conduct.isBanned(seconds(second))).isFalse();
        }
        assertThat(conduct.strikes(PENALTY, seconds(62))).isEqualTo(4);
        conduct = conduct.refused(PENALTY, seconds(63));
        assertThat(conduct.isBanned(seconds(63))).isTrue();
        assertThat(conduct.restNanos(seconds(63))).isEqualTo(nanos("PT10M"));
        assertThat(conduct.strikes(PENALTY, seconds(63))).isZero();
    }

    @Test
    void refusedWhenTheFirstIsExactlyTooOldThenItDoesNotCount() {
        Conduct conduct = strikes(Conduct.BLAMELESS, PENALTY, 0, 4);
        assertThat(conduct.refused(PENALTY, nanos("PT1M") - 1).isBanned(nanos("PT1M")))
                .isTrue();
        assertThat(conduct.refused(PENALTY, nanos("PT1M")).isBanned(nanos("PT1M")))
                .isFalse();
    }

    @Test
    void refusedWhenBannedThenNothingChanges() {
        Conduct banned = strikes(Conduct.BLAMELESS, PENALTY, 0, 5);
        assertThat(strikes(banned, PENALTY, nanos("PT9M"), 100)).isSameAs(banned);
        assertThat(banned.isBanned(nanos("PT10M") - 1)).isTrue();
        assertThat(banned.isBanned(nanos("PT10M"))).isFalse();
    }

    @Test
    void refusedWhenBannedAgainThenTheBanGrowsAndAtLastStays() {
        Conduct second = strikes(strikes(Conduct.BLAMELESS, PENALTY, 0, 5), PENALTY, nanos("PT1H"), 5);
        assertThat(second.bans(PENALTY, nanos("PT1H"))).isEqualTo(2);
        assertThat(second.restNanos(nanos("PT1H"))).isEqualTo(nanos("PT20M"));
        Conduct third = strikes(second, PENALTY, nanos("PT2H"), 5);
        assertThat(third.restNanos(nanos("PT2H"))).isEqualTo(Step.NEVER);
        assertThat(third.isBanned(nanos("PT99999H"))).isTrue();
        assertThat(third.isBlameless(PENALTY, nanos("PT99999H"))).isFalse();
    }

    @Test
    void refusedWhenTheLastBanIsLongOverThenItIsForgotten() {
        Conduct once = strikes(Conduct.BLAMELESS, PENALTY, 0, 5);
        long forgotten = nanos("PT10M") + nanos("PT24H");
        assertThat(once.isBlameless(PENALTY, forgotten - 1)).isFalse();
        assertThat(once.isBlameless(PENALTY, forgotten)).isTrue();
        Conduct again = strikes(once, PENALTY, forgotten, 5);
        assertThat(again.bans(PENALTY, forgotten)).isOne();
        assertThat(again.restNanos(forgotten)).isEqualTo(nanos("PT10M"));
    }

    @Test
    void refusedWhenTheClockStepsBackThenNothingOverflows() {
        Conduct conduct = strikes(Conduct.BLAMELESS, PENALTY, Long.MAX_VALUE - 2, 4);
        assertThat(conduct.refused(PENALTY, Long.MIN_VALUE + 2).isBanned(Long.MIN_VALUE + 2))
                .isTrue();
        assertThat(conduct.refused(PENALTY, Long.MAX_VALUE - 1_000).isBanned(Long.MAX_VALUE))
                .isTrue();
    }

    @Test
    void refusedWhenTimesAreRandomThenAgreesWithAListOfThem() {
        Random random = new Random(42);
        Penalty penalty = penalty(4, "PT10S", "PT5S", 3, "PT1M", Penalty.NO_PERMANENT_BAN);
        Conduct conduct = Conduct.BLAMELESS;
        Deque<Long> strikes = new ArrayDeque<>();
        long bannedUntil = Long.MIN_VALUE;
        int bans = 0;
        long now = 0;
        for (int i = 0; i < 100_000; i++) {
            now += random.nextInt(random.nextInt(200) == 0 ? 100_000 : 5_000) * 1_000_000L;
            if (now >= bannedUntil) {
                bans = bannedUntil != Long.MIN_VALUE && now - bannedUntil >= nanos("PT1M") ? 0 : bans;
                long limit = now - nanos("PT10S");
                strikes.removeIf(time -> time <= limit);
                strikes.add(now);
                if (strikes.size() == 4) {
                    strikes.clear();
                    bans++;
                    bannedUntil = now + Math.min(nanos("PT1M"), (long) (nanos("PT5S") * Math.pow(3, bans - 1)));
                }
            }
            conduct = conduct.refused(penalty, now);
            assertThat(conduct.isBanned(now)).isEqualTo(now < bannedUntil);
            assertThat(conduct.restNanos(now))
                    .isEqualTo(Math.max(0, bannedUntil == Long.MIN_VALUE ? 0 : bannedUntil - now));
            assertThat(conduct.strikes(penalty, now)).isEqualTo(strikes.size());
        }
        assertThat(bans).isPositive();
    }

    private static Conduct strikes(Conduct conduct, Penalty penalty, long now, int times) {
        Conduct after = conduct;
        for (int i = 0; i < times; i++) {
            after = after.refused(penalty, now);
        }
        return after;
    }

    private static Penalty penalty(int after, String within, String ban, int multiplier, String max, int permanent) {
        return new Penalty(after, nanos(within), nanos(ban), multiplier, nanos(max), permanent);
    }

    private static long nanos(String duration) {
        return Duration.parse(duration).toNanos();
    }

    private static long seconds(int seconds) {
        return seconds * 1_000_000_000L;
    }
}
