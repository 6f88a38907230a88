package io.github.ratelimit.provided;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.ratelimit.LimitProvider;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.policy.Allowance;
import io.github.ratelimit.policy.KeyedAllowances;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a {@link LimitProvider} says, kept in bounded memory and asked for by a bounded number of threads, however many
 * keys are made up. Safe for use by many threads.
 */
public final class ProvidedLimits implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(LimitProvider.class);

    private static final int MAX_KEYS_PER_ZONE = 100_000;
    private static final int THREADS = 4;
    private static final int MAX_QUESTIONS = 1_000;
    private static final long BUDGET_NANOS = 100_000_000L;
    /** How long nobody waits once an answer did not come in time; also when a failed question is asked again. */
    private static final long PAUSE_NANOS = 5_000_000_000L;

    private final Map<String, Cache<RateLimitKey, Answered>> zones = new ConcurrentHashMap<>();
    private final LimitProvider provider;
    private final LongSupplier nanoClock;
    private final ExecutorService threads;
    private final OncePerMinute warnings;
    private volatile long waitAgainAt;

    /**
     * The answers of a provider.
     *
     * @param nanoClock like {@link System#nanoTime()}
     */
    public ProvidedLimits(LimitProvider provider, LongSupplier nanoClock) {
        this(provider, nanoClock, threads());
    }

    ProvidedLimits(LimitProvider provider, LongSupplier nanoClock, ExecutorService threads) {
        this.provider = provider;
        this.nanoClock = nanoClock;
        this.threads = threads;
        this.waitAgainAt = nanoClock.getAsLong();
        this.warnings = new OncePerMinute(nanoClock.getAsLong());
    }

    /**
     * What keys of a zone are granted.
     *
     * @param meaning says what an answer means in this zone, or throws an {@link IllegalArgumentException}
     */
    public KeyedAllowances of(String zone, Function<LimitProvider.Limit, Allowance> meaning) {
        if (!provider.supports(zone)) {
            return KeyedAllowances.NONE;
        }
        Cache<RateLimitKey, Answered> answers = zones.computeIfAbsent(
                zone,
                name -> Caffeine.newBuilder().maximumSize(MAX_KEYS_PER_ZONE).build());
        return key -> find(zone, key, answers, meaning);
    }

    /** Asks again for what may be outdated; until it is answered the old answers count. */
    public void changed(LimitProvider.Changed changed) {
        zones.forEach((zone, answers) -> {
            if (changed.zone() == null || changed.zone().equals(zone)) {
                answers.asMap().forEach((key, answered) -> {
                    if (changed.key() == null || changed.key().equals(key.toString())) {
                        answered.outdate();
                    }
                });
            }
        });
    }

    private @Nullable Allowance find(
            String zone,
            RateLimitKey key,
            Cache<RateLimitKey, Answered> answers,
            Function<LimitProvider.Limit, Allowance> meaning) {
        Answered answered = answers.getIfPresent(key);
        if (answered == null) {
            answered = answers.get(key, unknown -> new Answered());
        }
        long now = nanoClock.getAsLong();
        if (answered.mustBeAsked(now)) {
            ask(zone, key, answered);
        }
        if (!answered.isKnown() && now - waitAgainAt >= 0 && !answered.await(BUDGET_NANOS)) {
            waitAgainAt = nanoClock.getAsLong() + PAUSE_NANOS;
        }
        return answered.allowance(meaning, e -> warn(zone, e));
    }

    private void ask(String zone, RateLimitKey key, Answered answered) {
        if (!answered.begin()) {
            return;
        }
        try {
            threads.execute(() -> answer(zone, key, answered));
        } catch (RejectedExecutionException e) {
            answered.fail(nanoClock.getAsLong());
            warn(zone, e);
        }
    }

    private void answer(String zone, RateLimitKey key, Answered answered) {
        int version = answered.version();
        try {
            LimitProvider.Limit limit = provider.limitFor(zone, key.toString());
            answered.answer(limit, version, nanoClock.getAsLong() + nanos(provider.timeToLive()));
        } catch (RuntimeException | Error e) {
            answered.fail(nanoClock.getAsLong() + PAUSE_NANOS);
            warn(zone, e);
        }
    }

    private static long nanos(Duration duration) {
        return Math.max(0, Math.min(duration.toMillis(), TimeUnit.DAYS.toMillis(365))) * 1_000_000L;
    }

    /** Says at most once a minute that something fails. No key is named. */
    private void warn(String zone, Throwable problem) {
        if (warnings.isDue(nanoClock.getAsLong())) {
            log.warn(
                    "The LimitProvider gave no limit for a key of zone '{}'; the last known one or the zone's own counts",
                    zone,
                    problem);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }

    private static ExecutorService threads() {
        AtomicInteger number = new AtomicInteger();
        ThreadPoolExecutor executor = new ThreadPoolExecutor(
                THREADS, THREADS, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(MAX_QUESTIONS), task -> {
                    Thread thread = new Thread(task, "ratelimit-provider-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }
}
