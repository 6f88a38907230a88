package io.github.ratelimit.provided;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.LimitProvider;
import io.github.ratelimit.LimitProvider.Changed;
import io.github.ratelimit.LimitProvider.Limit;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.algorithm.TokenBucket;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.policy.Allowance;
import io.github.ratelimit.policy.KeyedAllowances;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class ProvidedLimitsTests {

    private static final RateLimitKey ALICE = RateLimitKey.ofText("alice");

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000_000_000L);
    private final Map<String, Limit> plans = new ConcurrentHashMap<>();
    private final List<String> questions = new CopyOnWriteArrayList<>();
    private final ExecutorService threads = Executors.newFixedThreadPool(4);
    private volatile @Nullable CountDownLatch gate;
    private volatile boolean failing;

    private final LimitProvider provider = new LimitProvider() {
        @Override
        public @Nullable Limit limitFor(String zone, String key) {
            questions.add(zone + "/" + key);
            CountDownLatch waiting = gate;
            Limit seen = plans.get(key);
            if (waiting != null) {
                pass(waiting);
            }
            if (failing) {
                throw new IllegalStateException("no database");
            }
            return seen;
        }

        @Override
        public boolean supports(String zone) {
            return !zone.equals("other");
        }
    };
    private final ProvidedLimits limits = new ProvidedLimits(provider, nanos::get, threads);
    private final KeyedAllowances zone = limits.of("api", ProvidedLimitsTests::meaning);

    @AfterEach
    void close() {
        limits.close();
    }

    @Test
    void findWhenTheProviderKnowsTheKeyThenTheFirstRequestHasItsLimitAlready() {
        plans.put("alice", Limit.of("100/m"));

        assertThat(limit(ALICE)).isEqualTo(100);
        assertThat(limit(RateLimitKey.ofText("bob"))).isNull();
    }

    @Test
    void findWhenAskedAgainThenTheAnswerIsKeptWithItsAbsence() {
        for (int i = 0; i < 100; i++) {
            limit(ALICE);
        }
        assertThat(questions).containsExactly("api/alice");
    }

    @Test
    void findWhenManyThreadsComeAtOnceThenTheKeyIsAskedForOnce() {
        plans.put("alice", Limit.of("100/m"));

        assertThat(IntStream.range(0, 64).parallel().mapToObj(i -> limit(ALICE)))
                .containsOnly(100L);
        assertThat(questions).hasSize(1);
    }

    @Test
    void findWhenTheAnswerIsTooOldThenItCountsUntilTheNewOneIsThere() {
        plans.put("alice", Limit.of("100/m"));
        assertThat(limit(ALICE)).isEqualTo(100);
        plans.put("alice", Limit.of("7/m"));
        nanos.addAndGet(Duration.ofSeconds(59).toNanos());
        assertThat(limit(ALICE)).isEqualTo(100);
        assertThat(questions).hasSize(1);

        CountDownLatch slow = new CountDownLatch(1);
        gate = slow;
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        for (int i = 0; i < 100; i++) {
            assertThat(limit(ALICE)).isEqualTo(100);
        }
        slow.countDown();
        Awaitility.await().until(() -> Objects.equals(limit(ALICE), 7L));
        assertThat(questions).hasSize(2);
    }

    @Test
    void changedWhenPublishedThenAsksAgainAndAnAnswerFromBeforeIsNotBelieved() {
        plans.put("alice", Limit.of("100/m"));
        assertThat(limit(ALICE)).isEqualTo(100);
        CountDownLatch slow = new CountDownLatch(1);
        gate = slow;
        limits.changed(Changed.ofKey("alice"));
        limit(ALICE);
        Awaitility.await().until(() -> questions.size() == 2);

        // the question under way has read the old plan
        plans.put("alice", Limit.of("7/m"));
        limits.changed(Changed.all());
        gate = null;
        slow.countDown();

        Awaitility.await().until(() -> Objects.equals(limit(ALICE), 7L));
        assertThat(questions).hasSize(3);
        limits.changed(Changed.ofKey("bob"));
        limits.changed(new Changed("nosuch", null));
        limit(ALICE);
        assertThat(questions).hasSize(3);
    }

    @Test
    void findWhenTheProviderIsSlowThenARequestWaitsNoLongerThanItsBudgetAndTheNextNotAtAll() {
        plans.put("alice", Limit.of("100/m"));
        CountDownLatch slow = new CountDownLatch(1);
        gate = slow;

        assertThat(limit(ALICE)).isNull();
        long start = System.nanoTime();
        for (int i = 0; i < 50; i++) {
            assertThat(limit(RateLimitKey.ofText("stranger" + i))).isNull();
        }
        assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(4));

        gate = null;
        slow.countDown();
        Awaitility.await().until(() -> Objects.equals(limit(ALICE), 100L));
    }

    @Test
    void findWhenTheProviderFailsThenTheZonesOwnLimitCountsAndOneLineSaysSo(CapturedOutput output) {
        failing = true;
        for (int i = 0; i < 100; i++) {
            assertThat(limit(RateLimitKey.ofText("key" + i))).isNull();
        }
        assertThat(output.getAll().split("gave no limit for a key of zone 'api'", -1))
                .hasSize(2);
        assertThat(output.getAll()).doesNotContain("key7");
    }

    @Test
    void findWhenTheProviderFailsLaterThenTheLastAnswerStaysAndItIsAskedAgainAfterAPause() {
        plans.put("alice", Limit.of("100/m"));
        assertThat(limit(ALICE)).isEqualTo(100);
        failing = true;
        nanos.addAndGet(Duration.ofMinutes(1).toNanos());
        limit(ALICE);
        Awaitility.await().until(() -> questions.size() == 2);
        Awaitility.await().untilAsserted(() -> {
            assertThat(limit(ALICE)).isEqualTo(100);
            assertThat(questions).hasSize(2);
        });
        failing = false;
        plans.put("alice", Limit.of("7/m"));
        nanos.addAndGet(Duration.ofSeconds(5).toNanos());
        Awaitility.await().until(() -> Objects.equals(limit(ALICE), 7L));
    }

    @Test
    void findWhenTheAnswerMakesNoSenseThenTheZonesOwnLimitCounts(CapturedOutput output) {
        plans.put("alice", Limit.of("100"));

        assertThat(limit(ALICE)).isNull();
        assertThat(output).contains("has no period");
    }

    @Test
    void findWhenTooManyQuestionsWaitThenTheZonesOwnLimitCounts() {
        threads.shutdown();
        assertThat(limit(ALICE)).isNull();
        assertThat(questions).isEmpty();
    }

    @Test
    void ofWhenTheProviderDoesNotKnowTheZoneThenItIsNeverAsked() {
        assertThat(limits.of("other", ProvidedLimitsTests::meaning)).isSameAs(KeyedAllowances.NONE);
    }

    @Test
    void ofWhenTheZoneIsConfiguredAnewThenAnswersAreKeptAndMeanWhatTheyMeanThere() {
        plans.put("alice", Limit.of("100/m"));
        assertThat(limit(ALICE)).isEqualTo(100);
        KeyedAllowances anew = limits.of(
                "api", limit -> Allowance.limited(TokenBucket.of(Rate.parse(Objects.requireNonNull(limit.rate())), 3)));

        assertThat(Objects.requireNonNull(anew.find(ALICE)).algorithm().limit()).isEqualTo(3);
        assertThat(limit(ALICE)).isEqualTo(100);
        assertThat(questions).hasSize(1);
    }

    private @Nullable Long limit(RateLimitKey key) {
        Allowance allowance = zone.find(key);
        return allowance == null ? null : Long.valueOf(allowance.algorithm().limit());
    }

    private static Allowance meaning(Limit limit) {
        Rate rate = Rate.parse(Objects.requireNonNull(limit.rate()));
        return Allowance.limited(TokenBucket.of(rate, rate.writtenPermits()));
    }

    private static void pass(CountDownLatch gate) {
        try {
            assertThat(gate.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
