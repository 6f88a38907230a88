package io.github.ratelimit.limiter;

import static io.github.ratelimit.limiter.Zones.KEY;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.Decision;
import io.github.ratelimit.Decision.Outcome;
import io.github.ratelimit.Decision.Reason;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.algorithm.TokenBucket;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.policy.Allowance;
import io.github.ratelimit.policy.Allowance.Grant;
import io.github.ratelimit.policy.KeyedAllowances;
import io.github.ratelimit.policy.Limits;
import io.github.ratelimit.policy.Zone;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Keys that are granted something else than the zone's own limit. */
class AllowanceTests {

    private static final RateLimitKey STRANGER = RateLimitKey.ofText("stranger");

    private final Zones zones = new Zones();
    private final Zone plain = Zones.zone("plain", "1/m", 2);
    private final Zone other = Zones.zone("other", "1/m", 3);

    @AfterEach
    void close() {
        zones.close();
    }

    @Test
    void acquireWhenTheKeyHasALimitOfItsOwnThenThatOneCounts() {
        Zone zone = granting(Allowance.limited(TokenBucket.of(Rate.parse("1/m"), 1)));

        assertThat(acquire(new Charge(zone, KEY, 1, false)).permitted()).isTrue();
        assertThat(acquire(new Charge(zone, KEY, 1, false)).permitted()).isFalse();
        assertThat(acquire(new Charge(zone, STRANGER, 2, false)).permitted()).isTrue();
    }

    @Test
    void acquireWhenTheKeyIsUnlimitedThenNothingIsCountedAndNoStateIsKept() {
        Zone zone = granting(new Allowance(Grant.UNLIMITED, plain.algorithm()));

        for (int i = 0; i < 100; i++) {
            Decision decision = acquire(new Charge(zone, KEY, 50, false));
            assertThat(decision.outcome()).isEqualTo(Outcome.PERMITTED);
            assertThat(decision.limit()).isEqualTo(Decision.UNLIMITED);
            assertThat(decision.counted()).isFalse();
        }
        assertThat(zones.limiter.usage(zone).keys()).isZero();
        assertThat(zones.limiter.statistics(zone).count(Outcome.PERMITTED)).isEqualTo(100);
        assertThat(zones.limiter.peek(zone, KEY).limit()).isEqualTo(Decision.UNLIMITED);
    }

    @Test
    void acquireWhenTheKeyIsUnlimitedInOneZoneThenTheOtherDecides() {
        Zone zone = granting(new Allowance(Grant.UNLIMITED, plain.algorithm()));

        for (int i = 0; i < 3; i++) {
            Decision decision = acquire(new Charge(zone, KEY, 1, false), new Charge(other, KEY, 1, false));
            assertThat(decision.zone()).isEqualTo("other");
            assertThat(decision.remaining()).isEqualTo(2 - i);
        }
        Decision refused = acquire(new Charge(zone, KEY, 1, false), new Charge(other, KEY, 1, false));
        assertThat(refused.permitted()).isFalse();
    }

    @Test
    void acquireWhenTheKeyIsDeniedThenRefusedForGoodAndNothingIsDrawn() {
        Zone zone = granting(new Allowance(Grant.DENIED, plain.algorithm()));

        Decision decision = acquire(new Charge(other, KEY, 1, false), new Charge(zone, KEY, 1, false));
        assertThat(decision.outcome()).isEqualTo(Outcome.REJECTED);
        assertThat(decision.reason()).isEqualTo(Reason.DENIED);
        assertThat(decision.zone()).isEqualTo("plain");
        assertThat(decision.retryAfter()).isNull();
        assertThat(decision.counted()).isFalse();
        assertThat(zones.left(other)).isEqualTo(3);
        assertThat(zones.limiter.statistics(zone).rejections(Reason.DENIED)).isEqualTo(1);
        assertThat(zones.limiter.usage(zone).keys()).isZero();
    }

    @Test
    void acquireWhenTheKeyIsDeniedInDryRunThenOnlyMarked() {
        Zone zone = granting(new Allowance(Grant.DENIED, plain.algorithm()));

        Decision decision = acquire(new Charge(zone, KEY, 1, true));
        assertThat(decision.outcome()).isEqualTo(Outcome.DRY_RUN_REJECTED);
        assertThat(decision.reason()).isEqualTo(Reason.DENIED);
    }

    @Test
    void acquireWhenARequestHasNoKeyThenNoOverrideApplies() {
        Zone zone = plain.limitedBy(new Limits(
                Allowance.limited(plain.algorithm()),
                key -> new Allowance(Grant.UNLIMITED, plain.algorithm()),
                KeyedAllowances.NONE,
                null,
                List.of()));

        assertThat(acquire(new Charge(zone, null, 1, false)).reason()).isEqualTo(Reason.MISSING_KEY);
    }

    @Test
    void outstandingWhenAnUnlimitedZoneIsNamedTwiceThenItIsAskedOnce() {
        Zone zone = granting(new Allowance(Grant.UNLIMITED, plain.algorithm()));
        RequestLedger ledger = new RequestLedger(zones.limiter);
        List<Charge> charges = List.of(new Charge(zone, KEY, 1, false));

        ledger.note(Objects.requireNonNull(zones.limiter.acquire(ledger.outstanding(charges))));
        assertThat(ledger.outstanding(charges)).isEmpty();
        ledger.charge(5);
        ledger.refund(5);
    }

    @Test
    void settleWhenTheLimitChangesMeanwhileThenTheRequestStaysUnderTheOneItMet() {
        Allowance[] granted = {Allowance.limited(TokenBucket.of(Rate.parse("1/m"), 5))};
        Zone zone = plain.limitedBy(new Limits(
                Allowance.limited(plain.algorithm()), key -> granted[0], KeyedAllowances.NONE, null, List.of()));
        Charge charge = new Charge(zone, KEY, 5, false);
        granted[0] = new Allowance(Grant.DENIED, plain.algorithm());

        assertThat(acquire(charge).permitted()).isTrue();
        assertThat(acquire(new Charge(zone, KEY, 1, false)).reason()).isEqualTo(Reason.DENIED);
    }

    private Zone granting(Allowance allowance) {
        return plain.limitedBy(new Limits(
                Allowance.limited(plain.algorithm()),
                key -> key.equals(KEY) ? allowance : null,
                KeyedAllowances.NONE,
                null,
                List.of()));
    }

    private Decision acquire(Charge... charges) {
        return Objects.requireNonNull(zones.limiter.acquire(List.of(charges))).decision();
    }
}
