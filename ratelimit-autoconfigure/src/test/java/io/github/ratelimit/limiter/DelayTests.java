package io.github.ratelimit.limiter;

import static io.github.ratelimit.limiter.Zones.KEY;
import static io.github.ratelimit.limiter.Zones.charge;
import static io.github.ratelimit.limiter.Zones.zone;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.Decision;
import io.github.ratelimit.Decision.Outcome;
import io.github.ratelimit.Decision.Reason;
import io.github.ratelimit.algorithm.Concurrency;
import io.github.ratelimit.algorithm.LeakyBucket;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.policy.Zone;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests that wait: leaky buckets together with other zones, and seats. */
class DelayTests {

    private final Zones zones = new Zones();
    private final RateLimiter limiter = zones.limiter;
    private final Zone slow = leaky("slow", "1/s", 5, 0);
    private final Zone slower = leaky("slower", "1/3s", 5, 0);
    private final Zone wide = zone("wide", "10/m", 10);

    @AfterEach
    void close() {
        zones.close();
    }

    @Test
    void acquireWhenBeforeItsTurnThenWaitsOnASeat() {
        assertThat(acquire(charge(slow)).delay()).isZero();
        assertThat(zones.seats.left).hasValue(1_000);
        Ruling ruling = acquire(charge(slow));
        assertThat(ruling.delay()).isEqualTo(Duration.ofSeconds(1));
        assertThat(ruling.decision().outcome()).isEqualTo(Outcome.DELAYED);
        assertThat(ruling.decision().delay()).isEqualTo(Duration.ofSeconds(1));
        assertThat(ruling.decision().retryAfter()).isNull();
        assertThat(zones.seats.left).hasValue(999);
        assertThat(limiter.statistics(slow).count(Outcome.PERMITTED)).isEqualTo(1);
        assertThat(limiter.statistics(slow).count(Outcome.DELAYED)).isEqualTo(1);
    }

    @Test
    void acquireWhenSeveralZonesDelayThenTheLongestAppliesOnceAndTakesOneSeat() {
        for (List<Charge> order : orders(charge(slow), charge(slower))) {
            Zones fresh = new Zones();
            acquire(fresh.limiter, order);
            Ruling ruling = acquire(fresh.limiter, order);
            assertThat(ruling.delay()).isEqualTo(Duration.ofSeconds(3));
            assertThat(ruling.zones())
                    .extracting(Decision::delay)
                    .containsExactlyInAnyOrder(Duration.ofSeconds(1), Duration.ofSeconds(3));
            assertThat(fresh.seats.left).hasValue(999);
            fresh.close();
        }
    }

    @Test
    void acquireWhenADelayingZoneIsRefusedByAnotherThenNothingIsDrawnAndNoSeatTaken() {
        Zone spent = zone("spent", "1/h", 1);
        acquire(charge(spent));
        acquire(charge(slow));
        for (List<Charge> order : orders(charge(slow), charge(spent))) {
            Ruling ruling = acquire(limiter, order);
            assertThat(ruling.decision().zone()).isEqualTo("spent");
            assertThat(ruling.delay()).isZero();
            assertThat(ruling.draws()).isEmpty();
        }
        assertThat(zones.left(slow)).isEqualTo(5);
        assertThat(zones.seats.left).hasValue(1_000);
    }

    @Test
    void acquireWhenNoSeatIsLeftThenIsRefusedForTheDelayAndNothingIsDrawn() {
        Zone atOnce = zone("at-once", new Concurrency(5));
        acquire(charge(slow));
        acquire(charge(slow));
        zones.seats.left.set(0);
        for (List<Charge> order : List.of(
                List.of(charge(slow), charge(wide), charge(atOnce)),
                List.of(charge(atOnce), charge(wide), charge(slow)))) {
            Ruling ruling = acquire(limiter, order);
            assertThat(ruling.decision().zone()).isEqualTo("slow");
            assertThat(ruling.decision().outcome()).isEqualTo(Outcome.REJECTED);
            assertThat(ruling.decision().reason()).isEqualTo(Reason.LIMIT);
            assertThat(ruling.decision().retryAfter()).isEqualTo(Duration.ofSeconds(2));
            assertThat(ruling.decision().remaining()).isEqualTo(4);
            assertThat(ruling.draws()).isEmpty();
        }
        assertThat(zones.left(slow)).isEqualTo(4);
        assertThat(zones.left(wide)).isEqualTo(10);
        assertThat(zones.left(atOnce)).isEqualTo(5);
        assertThat(limiter.statistics(slow).count(Outcome.REJECTED)).isEqualTo(2);
        assertThat(limiter.statistics(wide).count(Outcome.REJECTED)).isZero();
        assertThat(limiter.statistics(wide).count(Outcome.PERMITTED)).isZero();
        zones.advance(Duration.ofSeconds(2));
        assertThat(acquire(charge(slow)).decision().outcome()).isEqualTo(Outcome.PERMITTED);
    }

    @Test
    void acquireWhenNoSeatIsLeftAndNothingHasToWaitThenIsAdmitted() {
        zones.seats.left.set(0);
        assertThat(acquire(charge(slow), charge(wide)).decision().permitted()).isTrue();
    }

    @Test
    void acquireWhenTheDelayingZoneIsInDryRunThenNeitherWaitsNorNeedsASeat() {
        zones.seats.left.set(0);
        for (int i = 0; i < 8; i++) {
            Ruling ruling = acquire(new Charge(slow, KEY, 1, true), charge(wide));
            assertThat(ruling.decision().permitted()).isTrue();
            assertThat(ruling.delay()).isZero();
            assertThat(ruling.zones()).extracting(Decision::delay).containsOnly(Duration.ZERO);
        }
        assertThat(zones.left(wide)).isEqualTo(2);
        assertThat(limiter.statistics(slow).count(Outcome.DRY_RUN_REJECTED)).isEqualTo(2);
    }

    @Test
    void acquireWhenManyComeAtOnceThenSeatsBoundThoseThatWait() throws Exception {
        zones.seats.left.set(7);
        Zone broad = leaky("broad", "1/s", 1_000, 3);
        ExecutorService threads = Executors.newFixedThreadPool(32);
        try {
            List<Future<Ruling>> rulings = IntStream.range(0, 200)
                    .mapToObj(i -> threads.submit(() -> acquire(charge(broad), charge(zone("other", "1000/d", 1_000)))))
                    .toList();
            int atOnce = 0;
            int waiting = 0;
            for (Future<Ruling> ruling : rulings) {
                atOnce += ruling.get().decision().permitted()
                                && ruling.get().delay().isZero()
                        ? 1
                        : 0;
                waiting += ruling.get().delay().isZero() ? 0 : 1;
            }
            assertThat(atOnce).isEqualTo(4);
            assertThat(waiting).isEqualTo(7);
            assertThat(zones.left(broad)).isEqualTo(1_001 - 11);
            assertThat(zones.left(zone("other", "1000/d", 1_000))).isEqualTo(1_000 - 11);
        } finally {
            threads.shutdownNow();
        }
    }

    private Ruling acquire(Charge... charges) {
        return acquire(limiter, List.of(charges));
    }

    private static Ruling acquire(RateLimiter limiter, List<Charge> charges) {
        return Objects.requireNonNull(limiter.acquire(charges));
    }

    private static List<List<Charge>> orders(Charge a, Charge b) {
        return List.of(List.of(a, b), List.of(b, a));
    }

    private static Zone leaky(String name, String rate, long burst, long delayAfter) {
        return zone(name, LeakyBucket.of(Rate.parse(rate), burst, delayAfter));
    }
}
