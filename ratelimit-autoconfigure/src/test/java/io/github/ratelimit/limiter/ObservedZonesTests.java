package io.github.ratelimit.limiter;

import static io.github.ratelimit.limiter.Zones.KEY;
import static io.github.ratelimit.limiter.Zones.charge;
import static io.github.ratelimit.limiter.Zones.zone;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.Decision.Outcome;
import io.github.ratelimit.Decision.Reason;
import io.github.ratelimit.algorithm.LeakyBucket;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.observe.Advice;
import io.github.ratelimit.observe.Offenders.Offender;
import io.github.ratelimit.observe.Origin;
import io.github.ratelimit.observe.Refusal;
import io.github.ratelimit.policy.Sharing;
import io.github.ratelimit.policy.Sharing.OnFailure;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.store.StoreUnavailableException.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the engine tells those who observe it. */
class ObservedZonesTests {

    private static final Origin ORIGIN = new Origin() {
        @Override
        public String rule() {
            return "POST /api/login";
        }

        @Override
        public String method() {
            return "POST";
        }

        @Override
        public String path() {
            return "/api/login";
        }

        @Override
        public String userAgent() {
            return "curl";
        }
    };
    private static final Origin NEVER_ASKED = new Origin() {
        @Override
        public @Nullable String rule() {
            throw new AssertionError("an admitted request is not looked at");
        }
    };

    private final OtherStore store = new OtherStore();
    private final Zones zones = new Zones(store);
    private final RateLimiter limiter = zones.limiter;
    private final Zone narrow = zone("narrow", "1/m", 1);
    private final List<Object> news = new ArrayList<>();

    @AfterEach
    void close() {
        zones.close();
        store.close();
    }

    @Test
    void acquireWhenAdmittedThenNobodyLooksAtTheRequest() {
        assertThat(limiter.acquire(List.of(charge(narrow)), NEVER_ASKED)).isNotNull();
        assertThat(limiter.observer(narrow).recent().list()).isEmpty();
    }

    @Test
    void acquireWhenRefusedThenTheZoneRemembersWhomAndWhat() {
        limiter.acquire(List.of(charge(narrow)), ORIGIN);
        zones.advance(Duration.ofSeconds(2));
        limiter.acquire(List.of(charge(narrow)), ORIGIN);
        Refusal refusal = limiter.observer(narrow).recent().list().get(0);
        assertThat(refusal.at()).isEqualTo(Instant.EPOCH.plusSeconds(2));
        assertThat(refusal.key()).isEqualTo(KEY);
        assertThat(refusal.decision().reason()).isEqualTo(Reason.LIMIT);
        assertThat(List.of(
                        String.valueOf(refusal.rule()),
                        String.valueOf(refusal.method()),
                        String.valueOf(refusal.path()),
                        String.valueOf(refusal.userAgent())))
                .containsExactly("POST /api/login", "POST", "/api/login", "curl");
        assertThat(limiter.observer(narrow).offenders().top(5))
                .containsExactly(new Offender(KEY, 1, Instant.EPOCH.plusSeconds(2)));
    }

    @Test
    void acquireWhenOneOfSeveralZonesRefusesThenOnlyThatOneRemembers() {
        Zone wide = zone("wide", "100/m", 100);
        limiter.acquire(List.of(charge(narrow), charge(wide)));
        limiter.acquire(List.of(charge(narrow), charge(wide)));
        assertThat(limiter.observer(narrow).recent().list()).hasSize(1);
        assertThat(limiter.observer(wide).recent().list()).isEmpty();
    }

    @Test
    void wouldRefuseWhenItWouldThenTheZoneRemembers() {
        limiter.acquire(List.of(charge(narrow)));
        limiter.wouldRefuse(List.of(charge(narrow)), ORIGIN);
        assertThat(limiter.observer(narrow).recent().list()).hasSize(1);
    }

    @Test
    void adviceWhenTrafficIsAdmittedRefusedAndInDryRunThenAllOfItIsLearntFrom() {
        for (int i = 0; i < 10; i++) {
            limiter.acquire(List.of(new Charge(narrow, KEY, 1, i % 2 == 0)));
        }
        assertThat(limiter.observer(narrow).advice()).isEqualTo(new Advice(1, 10, 10, 10, "12/s", 48L));
    }

    @Test
    void listenerWhenRefusedOrDelayedThenIsToldUntilItLeaves() {
        Runnable leave = limiter.onNews(listener());
        Zone slow = zone("slow", LeakyBucket.of(Rate.parse("1/s"), 5, 0));
        limiter.acquire(List.of(charge(narrow)));
        limiter.acquire(List.of(charge(slow)));
        assertThat(news).isEmpty();
        limiter.acquire(List.of(charge(slow)));
        limiter.acquire(List.of(charge(narrow)));
        limiter.acquire(List.of(new Charge(narrow, KEY, 1, true)));
        assertThat(news)
                .containsExactly("slow waits PT1S", "narrow " + Outcome.REJECTED, "narrow " + Outcome.DRY_RUN_REJECTED);
        leave.run();
        limiter.acquire(List.of(charge(narrow)));
        assertThat(news).hasSize(3);
    }

    @Test
    void listenerWhenTheSharedStoreIsAskedThenIsToldHowThatEnded() {
        Zone shared = zone("shared", "3/d", 3).shared(new Sharing(OnFailure.ALLOW, null, 1));
        limiter.onNews(listener());
        limiter.acquire(List.of(charge(shared)));
        store.fail(true);
        limiter.acquire(List.of(charge(shared)));
        assertThat(news).containsExactly("asked null", "asked " + Kind.TIMEOUT);
    }

    private LimiterListener listener() {
        return new LimiterListener() {
            @Override
            public void refused(Refusal refusal) {
                news.add(refusal.decision().zone() + " " + refusal.decision().outcome());
            }

            @Override
            public void delayed(Zone zone, Duration delay) {
                news.add(zone.name() + " waits " + delay);
            }

            @Override
            public void asked(@Nullable Kind failure, long nanos) {
                assertThat(nanos).isNotNegative();
                news.add("asked " + failure);
            }
        };
    }
}
