package io.github.ratelimit.limiter;

import static io.github.ratelimit.limiter.Zones.KEY;
import static io.github.ratelimit.limiter.Zones.charge;
import static io.github.ratelimit.limiter.Zones.zone;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.ratelimit.Decision;
import io.github.ratelimit.Decision.Outcome;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Concurrency;
import io.github.ratelimit.algorithm.FixedWindow;
import io.github.ratelimit.algorithm.LeakyBucket;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.algorithm.SlidingWindow;
import io.github.ratelimit.algorithm.TokenBucket;
import io.github.ratelimit.policy.Zone;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Costs that are known only after the work, and permits that come back when it is over. */
class SettlementTests {

    private final Zones zones = new Zones();
    private final RequestLedger ledger = new RequestLedger(zones.limiter);
    private final Zone a = zone("a", "10/m", 10);
    private final Zone b = zone("b", "20/m", 20);
    private final Zone atOnce = zone("at-once", new Concurrency(3));

    @AfterEach
    void close() {
        zones.close();
    }

    static Stream<Algorithm> algorithms() {
        Rate rate = Rate.parse("10/m");
        return Stream.of(
                TokenBucket.of(rate, 10), LeakyBucket.of(rate, 9, 0), FixedWindow.of(rate), SlidingWindow.of(rate));
    }

    @ParameterizedTest
    @MethodSource("algorithms")
    void chargeWhenMoreThanIsLeftThenDebtIsPaidBeforeTheNextAdmission(Algorithm algorithm) {
        Zone zone = zone("zone", algorithm);
        pay(charge(zone));
        ledger.charge(24);
        Decision refused = acquire(charge(zone));
        assertThat(refused.outcome()).isEqualTo(Outcome.REJECTED);
        assertThat(refused.remaining()).isZero();
        // 16 of 25 have to come back, at 10 a minute or in windows of 10
        Duration wait = Objects.requireNonNull(refused.retryAfter());
        assertThat(wait).isBetween(Duration.ofSeconds(96), Duration.ofMinutes(3));
        zones.advance(wait.minusNanos(1));
        assertThat(acquire(charge(zone)).permitted()).isFalse();
        zones.advance(Duration.ofNanos(1));
        assertThat(acquire(charge(zone)).permitted()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("algorithms")
    void refundWhenWantedThenGivesBackAtMostWhatWasPaid(Algorithm algorithm) {
        Zone zone = zone("zone", algorithm);
        acquire(new Charge(zone, KEY, 5, false));
        pay(new Charge(zone, KEY, 2, false));
        ledger.charge(1);
        assertThat(zones.left(zone)).isEqualTo(2);
        ledger.refund(1);
        assertThat(zones.left(zone)).isEqualTo(3);
        ledger.refund(1_000);
        ledger.refund(1_000);
        assertThat(zones.left(zone)).isEqualTo(5);
        ledger.charge(1);
        ledger.refund(7);
        assertThat(zones.left(zone)).isEqualTo(5);
    }

    @Test
    void settleWhenZoneIsNamedThenOthersAreLeftAlone() {
        pay(charge(a), charge(b));
        ledger.charge("a", 3);
        assertThat(zones.left(a)).isEqualTo(6);
        assertThat(zones.left(b)).isEqualTo(19);
        ledger.charge(2);
        ledger.refund("b", 99);
        assertThat(zones.left(a)).isEqualTo(4);
        assertThat(zones.left(b)).isEqualTo(20);
    }

    /** A URL rule paid 1 and an annotation the rest of 5: all 5 can be given back, and more is charged once. */
    @Test
    void settleWhenOneZoneWasPaidInPartsThenItIsOneAccount() {
        pay(charge(a));
        pay(ledger.outstanding(List.of(new Charge(a, KEY, 5, false))));
        assertThat(zones.left(a)).isEqualTo(5);
        ledger.charge(2);
        assertThat(zones.left(a)).isEqualTo(3);
        ledger.refund(6);
        assertThat(zones.left(a)).isEqualTo(9);
        ledger.refund("a", 6);
        assertThat(zones.left(a)).isEqualTo(10);
        assertThat(ledger.outstanding(List.of(new Charge(a, KEY, 5, false)))).isEmpty();
    }

    @Test
    void settleWhenPermitsAreOutOfRangeThenRefusesOrSaturates() {
        pay(charge(a));
        for (long permits : new long[] {-1, Long.MIN_VALUE}) {
            assertThatIllegalArgumentException().isThrownBy(() -> ledger.charge(permits));
            assertThatIllegalArgumentException().isThrownBy(() -> ledger.refund(permits));
            assertThatIllegalArgumentException().isThrownBy(() -> ledger.charge("a", permits));
            assertThatIllegalArgumentException().isThrownBy(() -> ledger.refund("a", permits));
        }
        ledger.charge(0);
        ledger.refund(0);
        assertThat(zones.left(a)).isEqualTo(9);
        ledger.charge(Long.MAX_VALUE);
        ledger.charge(Long.MAX_VALUE);
        assertThat(zones.left(a)).isZero();
        ledger.refund(Long.MAX_VALUE);
        assertThat(zones.left(a)).isEqualTo(10);
    }

    @Test
    void settleWhenZoneWasNotPaidThenSaysSo() {
        pay(charge(a), charge(atOnce));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ledger.charge("b", 1))
                .withMessageContaining("'b'");
        assertThatIllegalArgumentException().isThrownBy(() -> ledger.refund("b", 1));
        // what is only occupied is neither
        assertThatIllegalArgumentException().isThrownBy(() -> ledger.charge("at-once", 1));
        ledger.charge(1);
        assertThat(zones.left(atOnce)).isEqualTo(2);
    }

    /** An application that settles goes on working in dry run, where the zone may have refused in vain. */
    @Test
    void settleWhenDryRunDrewNothingThenThereIsNothingToSettle() {
        acquire(new Charge(a, KEY, 10, false));
        pay(new Charge(a, KEY, 1, true), charge(b));
        ledger.charge("a", 5);
        ledger.refund("a", 5);
        ledger.charge(1);
        assertThat(zones.left(a)).isZero();
        assertThat(zones.left(b)).isEqualTo(18);
        zones.advance(Duration.ofMinutes(1));
        assertThat(zones.left(a)).isEqualTo(10);
    }

    /** The rule of the URL is in dry run, the annotation is not: it has to refuse. */
    @Test
    void outstandingWhenDryRunDrewNothingThenAnEnforcedChargeIsStillToPay() {
        acquire(new Charge(a, KEY, 10, false));
        pay(new Charge(a, KEY, 1, true));
        assertThat(ledger.outstanding(List.of(new Charge(a, KEY, 1, true)))).isEmpty();
        List<Charge> outstanding = ledger.outstanding(List.of(charge(a)));
        assertThat(outstanding).containsExactly(charge(a));
        assertThat(acquire(outstanding.get(0)).permitted()).isFalse();
    }

    @Test
    void releaseWhenRequestEndsThenSlotsComeBackOnce() {
        pay(charge(atOnce), charge(a));
        pay(ledger.outstanding(List.of(new Charge(atOnce, KEY, 2, false))));
        RequestLedger other = new RequestLedger(zones.limiter);
        other.note(Objects.requireNonNull(zones.limiter.acquire(List.of(charge(atOnce)))));
        assertThat(zones.left(atOnce)).isZero();
        ledger.release();
        ledger.release();
        assertThat(zones.left(atOnce)).isEqualTo(2);
        assertThat(zones.left(a)).isEqualTo(9);
        other.release();
        ledger.release();
        assertThat(zones.left(atOnce)).isEqualTo(3);
    }

    /** A request that is over, timed out perhaps, while its handler still runs and draws. */
    @Test
    void noteWhenReleasedBeforeThenSlotsComeBackAtOnce() {
        ledger.release();
        pay(charge(atOnce));
        assertThat(zones.left(atOnce)).isEqualTo(3);
        ledger.release();
        assertThat(zones.left(atOnce)).isEqualTo(3);
    }

    @Test
    void releaseWhenDryRunDrewNothingThenGivesBackNothing() {
        List<RequestLedger> running = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            RequestLedger request = new RequestLedger(zones.limiter);
            request.note(Objects.requireNonNull(zones.limiter.acquire(List.of(charge(atOnce)))));
            running.add(request);
        }
        pay(new Charge(atOnce, KEY, 1, true));
        ledger.release();
        assertThat(zones.left(atOnce)).isZero();
        running.forEach(RequestLedger::release);
        assertThat(zones.left(atOnce)).isEqualTo(3);
    }

    @Test
    void onStricterWhenFewerAreLeftThenIsToldOnce() {
        List<String> told = new ArrayList<>();
        ledger.onStricter(decision -> told.add(decision.zone()));
        pay(charge(b));
        pay(charge(a));
        pay(charge(zone("wide", "100/m", 100)));
        assertThat(told).containsExactly("b", "a");
        assertThat(ledger.decisions()).extracting(Decision::zone).containsExactly("b", "a", "wide");
    }

    private void pay(Charge... charges) {
        pay(List.of(charges));
    }

    private void pay(List<Charge> charges) {
        ledger.note(Objects.requireNonNull(zones.limiter.acquire(charges)));
    }

    private Decision acquire(Charge charge) {
        return Objects.requireNonNull(zones.limiter.acquire(List.of(charge))).decision();
    }
}
