package io.github.ratelimit.autoconfigure;

import com.github.benmanes.caffeine.cache.Interner;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Concurrency;
import io.github.ratelimit.algorithm.FixedWindow;
import io.github.ratelimit.algorithm.LeakyBucket;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.algorithm.SlidingWindow;
import io.github.ratelimit.algorithm.TokenBucket;
import io.github.ratelimit.autoconfigure.ZoneProperties.AlgorithmName;
import org.jspecify.annotations.Nullable;

/** Makes the algorithm of a zone; a setting that the algorithm has no use for is a fault, not ignored. */
final class AlgorithmCompiler {

    private static final String NEVER = "never";

    /** Equal limits are one object, so that a change of something else leaves the state of every key as it is. */
    private static final Interner<Algorithm> KNOWN = Interner.newWeakInterner();

    private final Faults faults;

    AlgorithmCompiler(Faults faults) {
        this.faults = faults;
    }

    /** The algorithm of a zone, {@code null} when there is a fault. */
    @Nullable
    Algorithm compile(String where, ZoneProperties written) {
        AlgorithmName name = written.algorithm();
        boolean misplaced = false;
        if (name != AlgorithmName.LEAKY_BUCKET && !isDefault(written.delayAfter())) {
            misplaced = isMisplaced(where + ".delay-after", "leaky-bucket");
        }
        if (name != AlgorithmName.CONCURRENCY && written.maxConcurrent() != null) {
            misplaced |= isMisplaced(where + ".max-concurrent", "concurrency");
        }
        if (name != AlgorithmName.TOKEN_BUCKET && name != AlgorithmName.LEAKY_BUCKET && written.burst() != null) {
            misplaced |= isMisplaced(where + ".burst", "token-bucket or leaky-bucket");
        }
        Algorithm algorithm = switch (name) {
            case TOKEN_BUCKET -> tokenBucket(where, written.rate(), written.burst());
            case LEAKY_BUCKET -> leakyBucket(where, written);
            case FIXED_WINDOW -> {
                Rate rate = rate(where + ".rate", written.rate());
                yield rate == null ? null : FixedWindow.of(rate);
            }
            case SLIDING_WINDOW -> {
                Rate rate = rate(where + ".rate", written.rate());
                yield rate == null ? null : SlidingWindow.of(rate);
            }
            case CONCURRENCY -> concurrency(where, written);
        };
        return misplaced || algorithm == null ? null : KNOWN.intern(algorithm);
    }

    /** The token bucket of a rate and a burst, {@code null} when there is a fault. */
    @Nullable
    TokenBucket tokenBucket(String where, @Nullable String writtenRate, @Nullable Long writtenBurst) {
        Rate rate = rate(where + ".rate", writtenRate);
        if (rate == null) {
            if (writtenBurst != null && writtenBurst < 1) {
                faults.add(where + ".burst", "is " + writtenBurst + "; write at least 1");
            }
            return null;
        }
        long burst = writtenBurst != null ? writtenBurst : rate.writtenPermits();
        try {
            return TokenBucket.of(rate, burst);
        } catch (IllegalArgumentException e) {
            faults.add(where + ".burst", burst, e);
            return null;
        }
    }

    private @Nullable LeakyBucket leakyBucket(String where, ZoneProperties written) {
        Rate rate = rate(where + ".rate", written.rate());
        Long delayAfter = delayAfter(where + ".delay-after", written.delayAfter());
        if (rate == null || delayAfter == null) {
            return null;
        }
        long burst = written.burst() != null ? written.burst() : 0;
        try {
            return LeakyBucket.of(rate, burst, delayAfter);
        } catch (IllegalArgumentException e) {
            faults.add(where + ".burst", burst, e);
            return null;
        }
    }

    private @Nullable Concurrency concurrency(String where, ZoneProperties written) {
        boolean misplaced = written.rate() != null
                && isMisplaced(where + ".rate", "token-bucket, leaky-bucket, fixed-window or sliding-window");
        Integer most = written.maxConcurrent();
        if (most == null) {
            faults.add(
                    where + ".max-concurrent",
                    "is missing; write how many requests of one key may be in flight, such as 50");
            return null;
        }
        try {
            Concurrency concurrency = new Concurrency(most);
            return misplaced ? null : concurrency;
        } catch (IllegalArgumentException e) {
            faults.add(where + ".max-concurrent", most, e);
            return null;
        }
    }

    private @Nullable Long delayAfter(String where, String written) {
        if (isDefault(written)) {
            return 0L;
        }
        if (written.strip().equalsIgnoreCase(NEVER)) {
            return LeakyBucket.NO_DELAY;
        }
        try {
            long requests = Long.parseLong(written.strip());
            if (requests >= 0) {
                return requests;
            }
        } catch (NumberFormatException e) {
            // told below, like a negative number
        }
        faults.add(
                where,
                "is '" + written
                        + "'; write how many excess requests go straight through before the rest wait, or never");
        return null;
    }

    private static boolean isDefault(String delayAfter) {
        return delayAfter.isBlank() || delayAfter.strip().equals("0");
    }

    private boolean isMisplaced(String where, String algorithms) {
        faults.add(where, "has no meaning for this algorithm; remove it, or write algorithm: " + algorithms);
        return true;
    }

    private @Nullable Rate rate(String where, @Nullable String written) {
        if (written == null || written.isBlank()) {
            faults.add(where, "is missing; write a number, a slash and a period, such as 10/s, 30/m or 100/15m");
            return null;
        }
        try {
            return Rate.parse(written);
        } catch (IllegalArgumentException e) {
            faults.add(where, written, e);
            return null;
        }
    }
}
