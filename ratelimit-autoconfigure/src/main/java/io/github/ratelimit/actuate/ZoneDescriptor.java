package io.github.ratelimit.actuate;

import io.github.ratelimit.Decision.Outcome;
import io.github.ratelimit.Decision.Reason;
import io.github.ratelimit.actuate.RejectionDescriptors.RecentRejection;
import io.github.ratelimit.actuate.RejectionDescriptors.TopRejected;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Concurrency;
import io.github.ratelimit.algorithm.LeakyBucket;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.algorithm.TokenBucket;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.limiter.ZoneStatistics;
import io.github.ratelimit.observe.Advice;
import io.github.ratelimit.observe.ZoneObserver;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.store.ZoneUsage;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * One zone: what is configured, how full it is, and what it decided since the application started.
 *
 * @param key the resolvers of its key
 * @param algorithm how draws are judged
 * @param rate as it was written
 * @param burst the most permits one key may draw at once
 * @param store where its state lives
 * @param dryRun whether it is itself told to only count and mark; a rule or the whole application may be, too
 * @param keys keys that it holds in this instance
 * @param maxKeys the most keys that it holds
 * @param usage the part that is taken, 0 to 1
 * @param full whether a newcomer finds no room
 * @param decisions how many draws had which outcome
 * @param rejections how many draws were refused for which reason; they add up to the rejected decisions
 * @param lastRejectedAt when it last refused, {@code null} when it never did
 * @param topRejected the keys that were refused most often; {@code null} in a list of zones
 * @param recentRejections the last refusals, the latest first; {@code null} in a list of zones
 * @param advice what the traffic suggests to write; {@code null} in a list of zones
 */
public record ZoneDescriptor(
        List<String> key,
        String algorithm,
        @Nullable String rate,
        @Nullable Long burst,
        @Nullable Long maxConcurrent,
        String store,
        boolean dryRun,
        long keys,
        long maxKeys,
        double usage,
        boolean full,
        DecisionCounts decisions,
        RejectionCounts rejections,
        @Nullable Instant lastRejectedAt,
        @Nullable List<TopRejected> topRejected,
        @Nullable List<RecentRejection> recentRejections,
        @Nullable AdviceDescriptor advice)
        implements OperationResponseBody {

    private static final int TOP = 20;

    /** Copies the lists. */
    public ZoneDescriptor {
        key = List.copyOf(key);
        topRejected = topRejected == null ? null : List.copyOf(topRejected);
        recentRejections = recentRejections == null ? null : List.copyOf(recentRejections);
    }

    static ZoneDescriptor of(Zone zone, ZoneUsage usage, ZoneStatistics statistics) {
        Algorithm algorithm = zone.algorithm();
        Rate rate = algorithm.rate();
        return new ZoneDescriptor(
                zone.key().names(),
                algorithm.name(),
                rate == null ? null : rate.text(),
                burst(algorithm),
                algorithm instanceof Concurrency ? algorithm.limit() : null,
                zone.sharing() == null ? "local" : "redis",
                zone.dryRun(),
                usage.keys(),
                usage.maxKeys(),
                usage.ratio(),
                usage.full(),
                DecisionCounts.of(statistics),
                RejectionCounts.of(statistics),
                statistics.lastRejectedAt(),
                null,
                null,
                null);
    }

    /** The same zone with all that is remembered of it. */
    ZoneDescriptor with(ZoneObserver observer, Function<RateLimitKey, String> shown) {
        List<TopRejected> top = observer.offenders().top(TOP).stream()
                .map(offender -> TopRejected.of(offender, shown))
                .toList();
        List<RecentRejection> recent = observer.recent().list().stream()
                .map(refusal -> RecentRejection.of(refusal, shown))
                .toList();
        return new ZoneDescriptor(
                key,
                algorithm,
                rate,
                burst,
                maxConcurrent,
                store,
                dryRun,
                keys,
                maxKeys,
                usage,
                full,
                decisions,
                rejections,
                lastRejectedAt,
                top,
                recent,
                AdviceDescriptor.of(observer.advice(), maxConcurrent == null));
    }

    private static @Nullable Long burst(Algorithm algorithm) {
        if (algorithm instanceof LeakyBucket bucket) {
            return bucket.burst();
        }
        return algorithm instanceof TokenBucket bucket ? bucket.limit() : null;
    }

    /**
     * What the traffic suggests to write.
     *
     * @param observedKeys how many keys it was learnt from, whatever became of their requests
     * @param p50 what half of them never exceeded, in permits within one second
     * @param p95 what 95 of 100 never exceeded
     * @param max what none exceeded
     * @param rate the rate to write; {@code null} without traffic, and where the zone limits no rate
     * @param burst the burst to write; {@code null} without traffic, and where the zone limits no rate
     */
    public record AdviceDescriptor(
            long observedKeys,
            long p50,
            long p95,
            long max,
            @Nullable String rate,
            @Nullable Long burst) {

        static AdviceDescriptor of(Advice advice, boolean limitsRate) {
            return new AdviceDescriptor(
                    advice.observedKeys(),
                    advice.p50(),
                    advice.p95(),
                    advice.max(),
                    limitsRate ? advice.rate() : null,
                    limitsRate ? advice.burst() : null);
        }
    }

    /**
     * Draws by outcome.
     *
     * @param permitted admitted at once
     * @param delayed admitted after a wait
     * @param rejected refused
     * @param dryRunRejected admitted although they would have been refused
     */
    public record DecisionCounts(long permitted, long delayed, long rejected, long dryRunRejected) {

        static DecisionCounts of(ZoneStatistics statistics) {
            return new DecisionCounts(
                    statistics.count(Outcome.PERMITTED),
                    statistics.count(Outcome.DELAYED),
                    statistics.count(Outcome.REJECTED),
                    statistics.count(Outcome.DRY_RUN_REJECTED));
        }
    }

    /**
     * Refused draws by reason, those of a dry run left out.
     *
     * @param limit the key had used up its quota
     * @param shared the bucket that newcomers of a full zone share was used up
     * @param full the zone was full and took no newcomers
     * @param penalty the key was banned
     * @param storeFailure the store did not answer
     * @param denied the key was on the deny list
     * @param missingKey the request had no key
     * @param cost the cost was above what the quota can ever hold
     */
    public record RejectionCounts(
            long limit,
            long shared,
            long full,
            long penalty,
            long storeFailure,
            long denied,
            long missingKey,
            long cost) {

        static RejectionCounts of(ZoneStatistics statistics) {
            return new RejectionCounts(
                    statistics.rejections(Reason.LIMIT),
                    statistics.rejections(Reason.SHARED),
                    statistics.rejections(Reason.FULL),
                    statistics.rejections(Reason.PENALTY),
                    statistics.rejections(Reason.STORE_FAILURE),
                    statistics.rejections(Reason.DENIED),
                    statistics.rejections(Reason.MISSING_KEY),
                    statistics.rejections(Reason.COST));
        }
    }
}
