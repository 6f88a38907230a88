package io.github.ratelimit.limiter;

import static io.github.ratelimit.limiter.Zones.KEY;
import static io.github.ratelimit.limiter.Zones.charge;
import static io.github.ratelimit.limiter.Zones.zone;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.Decision;
import io.github.ratelimit.Decision.Outcome;
import io.github.ratelimit.Decision.Reason;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.LeakyBucket;
import io.github.ratelimit.algorithm.Penalty;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.algorithm.TokenBucket;
import io.github.ratelimit.observe.Origin;
import io.github.ratelimit.policy.Sharing;
import io.github.ratelimit.policy.Sharing.OnFailure;
import io.github.ratelimit.policy.Zone;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Zones whose state is shared: the order in which they are asked, and what stands in for a store that fails. */
class SharedZonesTests {

    private static final Rate DAILY = Rate.parse("3/d");
    private static final long HOUR = Duration.ofHours(1).toNanos();

    private final OtherStore store = new OtherStore();
    private final Zones zones = new Zones(store);
    private final Zone own = zone("own", "3/d", 3);

    @AfterEach
    void close() {
        zones.close();
        store.close();
    }

    @Test
    void acquireWhenSeveralZonesAreSharedThenTheStoreIsAskedOnce() {
        Ruling ruling = acquire(charge(shared("a")), charge(shared("b")), charge(own));
        assertThat(ruling.decision().outcome()).isEqualTo(Outcome.PERMITTED);
        assertThat(store.calls()).containsExactly("acquire a b");
        assertThat(zones.limiter.statistics(shared("a")).count(Outcome.PERMITTED, Tier.REDIS))
                .isEqualTo(1);
        assertThat(zones.limiter.statistics(own).count(Outcome.PERMITTED, Tier.LOCAL))
                .isEqualTo(1);
    }

    @Test
    void acquireWhenAnOwnZoneRefusesThenTheStoreIsNotAsked() {
        Charge tooMuch = new Charge(own, KEY, 4, false);
        assertThat(acquire(charge(shared("a")), tooMuch).decision().reason()).isEqualTo(Reason.COST);
        assertThat(store.calls()).isEmpty();
    }

    @Test
    void acquireWhenTheStoreRefusesThenOwnZonesAreGivenBack() {
        acquire(new Charge(shared("a"), KEY, 3, false), charge(shared("b")), charge(own));
        Ruling ruling = acquire(charge(own), charge(shared("a")), charge(shared("b")));
        assertThat(ruling.decision().zone()).isEqualTo("a");
        assertThat(ruling.zones()).hasSize(1);
        assertThat(zones.left(own)).isEqualTo(2);
        // the store drew for none, so that it gets nothing back for the one that it would have admitted
        assertThat(zones.left(shared("b"))).isEqualTo(2);
        assertThat(store.calls()).noneMatch(call -> call.startsWith("refund"));
        assertThat(zones.limiter.statistics(shared("a")).count(Outcome.REJECTED, Tier.REDIS))
                .isEqualTo(1);
        assertThat(zones.limiter.statistics(shared("b")).count(Outcome.PERMITTED))
                .isEqualTo(1);
    }

    @Test
    void acquireWhenABanIsHeardOfDuringTheTripThenRefusesAndGivesBackWhatWasDrawn() {
        Zone strict = shared("strict").punishing(new Penalty(2, HOUR, HOUR, 1, HOUR, Integer.MAX_VALUE));
        store.beforeAnswer(() -> zones.ban(strict));
        Ruling ruling = acquire(charge(own), charge(strict), charge(shared("a")));
        assertThat(ruling.decision().reason()).isEqualTo(Reason.PENALTY);
        assertThat(store.calls()).containsExactly("acquire strict a", "refund strict", "refund a");
        assertThat(zones.left(own)).isEqualTo(3);
        assertThat(zones.left(shared("a"))).isEqualTo(3);
    }

    @Test
    void oweWhenNothingIsLeftThenIsDrawnAllTheSameAndCountsAsAdmitted() {
        Zone shared = shared("a");
        List<Charge> charges = List.of(charge(own), charge(shared));
        for (int i = 0; i < 5; i++) {
            zones.limiter.owe(charges, Origin.UNKNOWN);
        }
        assertThat(store.calls()).endsWith("acquire a", "charge a", "acquire a", "charge a");
        for (Zone zone : List.of(own, shared)) {
            // five of three are drawn, and two may be: three have to come back, one in eight hours
            assertThat(zones.limiter.peek(zone, KEY).retryAfter()).isEqualTo(Duration.ofDays(1));
            assertThat(zones.limiter.statistics(zone).count(Outcome.PERMITTED)).isEqualTo(5);
            assertThat(zones.limiter.statistics(zone).count(Outcome.REJECTED)).isZero();
        }
    }

    @Test
    void oweWhenItIsADryRunThenMarksAndOwesNothing() {
        Charge rehearsed = new Charge(own, KEY, 1, true);
        for (int i = 0; i < 5; i++) {
            zones.limiter.owe(List.of(rehearsed), Origin.UNKNOWN);
        }
        assertThat(zones.limiter.statistics(own).count(Outcome.DRY_RUN_REJECTED))
                .isEqualTo(2);
        assertThat(zones.limiter.peek(own, KEY).retryAfter()).isEqualTo(Duration.ofHours(8));
    }

    @Test
    void acquireWhenABanIsHeardOfDuringATripThatIsRefusedThenTheBanDecidesAndNothingIsGivenBackTwice() {
        Zone strict = shared("strict").punishing(new Penalty(2, HOUR, 48 * HOUR, 1, 48 * HOUR, Integer.MAX_VALUE));
        acquire(new Charge(strict, KEY, 3, false));
        store.beforeAnswer(() -> zones.ban(strict));
        Ruling ruling = acquire(charge(own), charge(strict), charge(shared("a")));
        assertThat(ruling.decision().reason()).isEqualTo(Reason.PENALTY);
        assertThat(ruling.decision().retryAfter()).isEqualTo(Duration.ofHours(48));
        assertThat(store.calls()).containsExactly("acquire strict", "acquire strict a");
        assertThat(zones.left(own)).isEqualTo(3);
        assertThat(zones.left(shared("a"))).isEqualTo(3);
        assertThat(zones.limiter.statistics(strict).rejections(Reason.LIMIT)).isZero();
    }

    @Test
    void acquireWhenABanIsHeardOfWhileTheStoreFailsThenTheBanDecidesAndOwnStateIsGivenBackOnce() {
        Zone strict = shared("strict").punishing(new Penalty(2, HOUR, 48 * HOUR, 1, 48 * HOUR, Integer.MAX_VALUE));
        store.fail(true);
        zones.beforeDraw(strict, () -> zones.ban(strict));
        assertThat(acquire(charge(own), charge(strict), charge(shared("a")))
                        .decision()
                        .reason())
                .isEqualTo(Reason.PENALTY);
        assertThat(zones.left(own)).isEqualTo(3);
        assertThat(zones.left(shared("a"))).isEqualTo(3);
    }

    @Test
    void wouldRefuseWhenABanIsHeardOfDuringTheTripThenRefusesAndGivesNothingBack() {
        Zone strict = shared("strict").punishing(new Penalty(2, HOUR, HOUR, 1, HOUR, Integer.MAX_VALUE));
        acquire(charge(strict));
        store.beforeAnswer(() -> zones.ban(strict));
        Ruling ruling = Objects.requireNonNull(zones.limiter.wouldRefuse(List.of(charge(strict)), Origin.UNKNOWN));
        assertThat(ruling.decision().reason()).isEqualTo(Reason.PENALTY);
        assertThat(store.calls()).containsExactly("acquire strict", "peek strict");
    }

    @Test
    void acquireWhenBannedAndTheStoreHasRefusedForLongerThenSaysSoWithoutATrip() {
        Zone strict = shared("strict").punishing(new Penalty(2, HOUR, HOUR, 1, HOUR, Integer.MAX_VALUE));
        acquire(new Charge(strict, KEY, 3, false));
        zones.ban(strict);
        Decision banned = acquire(charge(strict)).decision();
        assertThat(banned.reason()).isEqualTo(Reason.PENALTY);
        assertThat(banned.retryAfter()).isEqualTo(Duration.ofHours(8));
        assertThat(store.calls()).containsExactly("acquire strict");
        assertThat(zones.limiter.peek(strict, KEY).retryAfter()).isEqualTo(Duration.ofHours(8));
    }

    @Test
    void acquireWhenOnlyADryRunIsRefusedThenTheOthersAreDrawn() {
        acquire(new Charge(shared("a"), KEY, 3, false));
        Ruling ruling = acquire(new Charge(shared("a"), KEY, 1, true), charge(shared("b")));
        assertThat(ruling.decision().zone()).isEqualTo("b");
        assertThat(zones.left(shared("b"))).isEqualTo(2);
        assertThat(zones.limiter.statistics(shared("a")).count(Outcome.DRY_RUN_REJECTED))
                .isEqualTo(1);
    }

    @Test
    void acquireWhenTheKeyIsMissingThenTheStoreIsNotAsked() {
        assertThat(acquire(new Charge(shared("a"), null, 1, false)).decision().reason())
                .isEqualTo(Reason.MISSING_KEY);
        assertThat(store.calls()).isEmpty();
    }

    @Test
    void acquireWhenThereIsNoSeatThenTheStoreGetsItsPermitsBack() {
        zones.seats.left.set(0);
        Zone slow = zone("slow", LeakyBucket.of(DAILY, 5, 0)).shared(new Sharing(OnFailure.LOCAL, null, 1));
        acquire(charge(slow));
        assertThat(acquire(charge(slow)).decision().reason()).isEqualTo(Reason.LIMIT);
        assertThat(store.calls()).last().isEqualTo("refund slow");
    }

    @Test
    void acquireWhenTheStoreFailsAndAllIsAllowedThenNothingIsCountedNorInvented() {
        store.fail(true);
        Zone zone = shared("a", OnFailure.ALLOW);
        for (int i = 0; i < 10; i++) {
            Decision decision = acquire(charge(zone), charge(own)).decision();
            if (i < 3) {
                assertThat(decision.permitted()).isTrue();
                assertThat(decision.zone()).isEqualTo("own");
            } else {
                assertThat(decision.permitted()).isFalse();
            }
        }
        Decision alone = acquire(charge(zone)).decision();
        assertThat(alone.permitted()).isTrue();
        assertThat(alone.counted()).isFalse();
        assertThat(alone.reason()).isEqualTo(Reason.STORE_FAILURE);
        assertThat(zones.limiter.statistics(zone).count(Outcome.PERMITTED, Tier.FALLBACK))
                .isEqualTo(4);
    }

    @Test
    void acquireWhenTheStoreFailsAndAllIsRefusedThenSaysSoAndOwnZonesAreGivenBack() {
        store.fail(true);
        Zone zone = shared("a", OnFailure.REJECT);
        Decision decision = acquire(charge(own), charge(zone)).decision();
        assertThat(decision.outcome()).isEqualTo(Outcome.REJECTED);
        assertThat(decision.reason()).isEqualTo(Reason.STORE_FAILURE);
        assertThat(Objects.requireNonNull(decision.retryAfter())).isPositive();
        assertThat(zones.left(own)).isEqualTo(3);
        assertThat(acquire(new Charge(zone, KEY, 1, true)).decision().outcome()).isEqualTo(Outcome.DRY_RUN_REJECTED);
    }

    @Test
    void acquireWhenTheStoreFailsThenTheLimitIsKeptHereUntilItIsBack() {
        Zone zone = shared("a");
        acquire(charge(zone));
        store.fail(true);
        for (int i = 0; i < 10; i++) {
            assertThat(acquire(charge(zone)).decision().permitted()).isEqualTo(i < 3);
        }
        ZoneStatistics statistics = zones.limiter.statistics(zone);
        assertThat(statistics.count(Outcome.PERMITTED, Tier.FALLBACK)).isEqualTo(3);
        assertThat(statistics.count(Outcome.REJECTED, Tier.FALLBACK)).isEqualTo(7);
        store.fail(false);
        assertThat(acquire(charge(zone)).decision().remaining()).isEqualTo(1);
    }

    @Test
    void acquireWhenTheStoreFailsThenZonesOfAllModesDecideTogether() {
        store.fail(true);
        Zone local = shared("a");
        acquire(new Charge(local, KEY, 2, false));
        assertThat(acquire(charge(shared("b")), new Charge(local, KEY, 2, false), charge(own))
                        .decision()
                        .zone())
                .isEqualTo("a");
        assertThat(acquire(charge(shared("c", OnFailure.REJECT)), charge(local), charge(own))
                        .decision()
                        .zone())
                .isEqualTo("c");
        assertThat(zones.left(own)).isEqualTo(3);
        assertThat(zones.left(shared("b"))).isEqualTo(3);
        assertThat(zones.left(local)).isEqualTo(1);
    }

    @Test
    void refundWhenItWasDrawnWhileTheStoreFailedThenGoesWhereItCameFrom() {
        Zone zone = shared("a");
        store.fail(true);
        Draw draw = acquire(new Charge(zone, KEY, 3, false)).draws().get(0);
        store.fail(false);
        zones.limiter.refund(draw, 2);
        assertThat(store.calls()).doesNotContain("refund a");
        store.fail(true);
        assertThat(zones.left(zone)).isEqualTo(2);
    }

    @Test
    void settlementWhenDrawnFromTheStoreThenGoesThere() {
        Zone zone = shared("a");
        Draw draw = acquire(charge(zone)).draws().get(0);
        zones.limiter.charge(draw, 2);
        assertThat(zones.left(zone)).isZero();
        zones.limiter.refund(draw, 3);
        assertThat(zones.left(zone)).isEqualTo(3);
        assertThat(store.calls()).contains("charge a", "refund a");
    }

    @Test
    void acquireWhenTheGuardRefusesThenTheStoreIsNotAsked() {
        Zone zone = guarded("a", TokenBucket.of(Rate.parse("2/d"), 2));
        acquire(charge(zone));
        acquire(charge(zone));
        Ruling ruling = acquire(charge(own), charge(zone));
        assertThat(ruling.decision().zone()).isEqualTo("a");
        assertThat(ruling.decision().reason()).isEqualTo(Reason.LIMIT);
        assertThat(store.calls()).containsExactly("acquire a", "acquire a");
        assertThat(zones.left(own)).isEqualTo(3);
        assertThat(zones.limiter.statistics(zone).count(Outcome.REJECTED, Tier.LOCAL))
                .isEqualTo(1);
    }

    @Test
    void acquireWhenTheGuardRefusesADryRunThenTheOthersGoOnWithoutIt() {
        Zone zone = guarded("a", TokenBucket.of(Rate.parse("1/d"), 1));
        acquire(charge(zone));
        Ruling ruling = acquire(new Charge(zone, KEY, 1, true), charge(shared("b")));
        assertThat(ruling.decision().zone()).isEqualTo("b");
        assertThat(store.calls()).last().isEqualTo("acquire b");
        assertThat(acquire(new Charge(zone, KEY, 1, true)).decision().outcome()).isEqualTo(Outcome.DRY_RUN_REJECTED);
    }

    @ParameterizedTest
    @EnumSource(OnFailure.class)
    void wouldRefuseWhenTheStoreFailsThenSaysWhatTheModeSays(OnFailure mode) {
        Zone zone = shared("a", mode);
        assertThat(zones.limiter.wouldRefuse(List.of(charge(zone)), Origin.UNKNOWN))
                .isNull();
        store.fail(true);
        @Nullable Ruling ruling = zones.limiter.wouldRefuse(List.of(charge(zone)), Origin.UNKNOWN);
        assertThat(ruling != null).isEqualTo(mode == OnFailure.REJECT);
        assertThat(store.calls()).containsExactly("peek a");
    }

    private Ruling acquire(Charge... charges) {
        return Objects.requireNonNull(zones.limiter.acquire(List.of(charges)));
    }

    private static Zone shared(String name) {
        return shared(name, OnFailure.LOCAL);
    }

    private static Zone shared(String name, OnFailure mode) {
        return zone(name, TokenBucket.of(DAILY, 3)).shared(new Sharing(mode, null, 1));
    }

    private static Zone guarded(String name, Algorithm guard) {
        return zone(name, TokenBucket.of(DAILY, 3)).shared(new Sharing(OnFailure.LOCAL, guard, 1));
    }

    @Test
    void delayWhenTheStoreSaysSoThenTheRequestWaitsAsLong() {
        Zone slow = zone("slow", LeakyBucket.of(Rate.parse("1/s"), 5, 0)).shared(new Sharing(OnFailure.LOCAL, null, 1));
        acquire(charge(slow));
        assertThat(acquire(charge(slow)).delay()).isEqualTo(Duration.ofSeconds(1));
    }
}
