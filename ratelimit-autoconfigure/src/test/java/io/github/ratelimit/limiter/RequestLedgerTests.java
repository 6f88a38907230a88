package io.github.ratelimit.limiter;

import static io.github.ratelimit.limiter.Zones.zone;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.Decision;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Concurrency;
import io.github.ratelimit.algorithm.FixedWindow;
import io.github.ratelimit.algorithm.LeakyBucket;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.algorithm.SlidingWindow;
import io.github.ratelimit.algorithm.TokenBucket;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.policy.Zone;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class RequestLedgerTests {

    private final Zones zones = new Zones();

    @AfterEach
    void close() {
        zones.close();
    }

    private static final List<Zone> ZONES = List.of(zone("a", "100/s", 100), zone("b", "100/s", 100));

    /** Charges are written zone, key, cost and, for a dry run, an exclamation mark; a key of - is none. */
    @ParameterizedTest
    @CsvSource(textBlock = """
            # paid,      wanted,         outstanding
            '',          ax1,            ax1
            '',          ax1 bx1,        ax1 bx1
            '',          ax1 ax3,        ax3
            '',          ax3 ax1,        ax3
            '',          ax1 ay1,        ax1 ay1
            '',          ax1! ax1,       ax1
            '',          ax2! ax1!,      ax2!
            ax1,         ax1,            ''
            ax3,         ax1,            ''
            ax1,         ax3,            ax2
            ax1,         ax3 ax5 bx1,    ax4 bx1
            ax1,         ay1,            ay1
            ax1,         bx1,            bx1
            ax1 ax1,     ax3,            ax1
            a-1!,        a-1!,           ''
            a-1!,        a-1,            a-1
            a-1!,        ax1,            ax1
            ax1!,        ax1,            ''
            """)
    void outstandingWhenPaidThenChargesEachZoneOnceAtTheHigherCost(String paid, String wanted, String outstanding) {
        RequestLedger ledger = new RequestLedger(zones.limiter);
        for (Charge charge : charges(paid)) {
            ledger.note(Objects.requireNonNull(zones.limiter.acquire(List.of(charge))));
        }
        assertThat(ledger.outstanding(charges(wanted))).isEqualTo(charges(outstanding));
    }

    @Test
    void outstandingWhenRefusedThenNothingIsPaid() {
        RequestLedger ledger = new RequestLedger(zones.limiter);
        ledger.note(Objects.requireNonNull(zones.limiter.acquire(charges("ax9").stream()
                .map(charge -> new Charge(charge.zone(), charge.key(), 101, false))
                .toList())));
        assertThat(ledger.outstanding(charges("ax1"))).isEqualTo(charges("ax1"));
        assertThat(ledger.decisions()).hasSize(1);
    }

    /** The rule pays two, the handler five: the key has three left when they come. */
    @ParameterizedTest
    @MethodSource("algorithms")
    void noteWhenTheRestIsRefusedThenTheRequestHasConsumedNothingAndWaitsForTheWhole(Algorithm algorithm) {
        Zone zone = zone("zone", algorithm);
        Zone other = zone("other", "1/h", 1);
        zones.limiter.acquire(List.of(Zones.charge(zone)));
        zones.advance(Duration.ofMillis(2_300));
        zones.limiter.acquire(List.of(Zones.charge(zone).costing(zones.left(zone) - 3)));

        Ruling refusal = called(zone, other, 5);
        assertThat(refusal.decision().permitted()).isFalse();
        assertThat(zones.left(zone)).isEqualTo(3);
        assertThat(zones.left(other)).isEqualTo(1);
        assertThat(called(zone, other, 5).decision()).as("again and again").isEqualTo(refusal.decision());

        Duration wait = Objects.requireNonNull(refusal.decision().retryAfter());
        zones.advance(wait.minusMillis(1));
        assertThat(called(zone, other, 5).decision().permitted()).as("before").isFalse();
        zones.advance(Duration.ofMillis(1));
        assertThat(called(zone, other, 5).decision().permitted()).as("after").isTrue();
        assertThat(zones.left(other)).isZero();
    }

    static List<Algorithm> algorithms() {
        Rate rate = Rate.parse("1/s");
        return List.of(
                TokenBucket.of(rate, 6),
                LeakyBucket.of(rate, 5, 5),
                FixedWindow.of(Rate.parse("6/10s")),
                SlidingWindow.of(Rate.parse("6/10s")));
    }

    @Test
    void noteWhenTheWholeIsMoreThanTheZoneCanHoldThenNoWaitHelps() {
        Zone zone = zone("zone", "1/s", 6);
        Decision refusal = called(zone, zone("other", "1/h", 1), 7).decision();

        assertThat(refusal.retryAfter()).isNull();
        assertThat(refusal.reason()).isEqualTo(Decision.Reason.COST);
        assertThat(zones.left(zone)).isEqualTo(6);
    }

    @Test
    void noteWhenRefusedThenWhatIsOccupiedComesBackOnceWhenTheRequestEnds() {
        Zone places = zone("places", new Concurrency(3));
        zones.limiter.acquire(List.of(Zones.charge(places)));
        RequestLedger ledger = new RequestLedger(zones.limiter);
        note(ledger, List.of(Zones.charge(places)));
        note(ledger, List.of(Zones.charge(zone("small", "1/s", 1)).costing(2)));

        assertThat(zones.left(places)).isEqualTo(1);
        ledger.release();
        ledger.release();
        assertThat(zones.left(places)).isEqualTo(2);
    }

    @Test
    void noteWhenRefusedThenWhatTheApplicationSettledIsGivenBackOnce() {
        Zone zone = zone("zone", "1/h", 9);
        RequestLedger ledger = new RequestLedger(zones.limiter);
        note(ledger, List.of(Zones.charge(zone).costing(4)));
        ledger.refund(1);
        note(ledger, List.of(Zones.charge(zone("small", "1/s", 1)).costing(2)));
        assertThat(zones.left(zone)).isEqualTo(9);

        ledger.refund(9);
        assertThat(zones.left(zone)).isEqualTo(9);
        ledger.charge("zone", 3);
        assertThat(zones.left(zone))
                .as("a cost that the application insists on")
                .isEqualTo(6);
    }

    private Ruling called(Zone zone, Zone other, long cost) {
        RequestLedger ledger = new RequestLedger(zones.limiter);
        note(ledger, List.of(Zones.charge(zone).costing(2), Zones.charge(other)));
        return note(ledger, List.of(Zones.charge(zone).costing(cost)));
    }

    private Ruling note(RequestLedger ledger, List<Charge> wanted) {
        return ledger.note(Objects.requireNonNull(zones.limiter.acquire(ledger.outstanding(wanted))), wanted);
    }

    private static List<Charge> charges(String written) {
        List<Charge> charges = new ArrayList<>();
        for (String charge : written.isEmpty() ? new String[0] : written.split(" ")) {
            charges.add(new Charge(
                    ZONES.get(charge.charAt(0) - 'a'),
                    key(charge.charAt(1)),
                    charge.charAt(2) - '0',
                    charge.endsWith("!")));
        }
        return charges;
    }

    private static @Nullable RateLimitKey key(char key) {
        return key == '-' ? null : RateLimitKey.ofText("" + key);
    }
}
