package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Concurrency;
import io.github.ratelimit.algorithm.LeakyBucket;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.algorithm.TokenBucket;
import io.github.ratelimit.autoconfigure.ZoneProperties.StoreFailure;
import io.github.ratelimit.autoconfigure.ZoneProperties.StoreName;
import io.github.ratelimit.policy.Limits;
import io.github.ratelimit.policy.Limits.Written;
import io.github.ratelimit.policy.Sharing;
import io.github.ratelimit.policy.Sharing.OnFailure;
import io.github.ratelimit.store.redis.RedisLimits;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Says how a zone shares its state; what has no meaning for a zone that shares nothing is a fault, not ignored. */
final class SharingCompiler {

    private final Supplier<@Nullable String> storeFault;
    private final Faults faults;

    /**
     * A compiler.
     *
     * @param storeFault why no zone can be shared, {@code null} when it can; asked only if one is to be
     */
    SharingCompiler(Supplier<@Nullable String> storeFault, Faults faults) {
        this.storeFault = storeFault;
        this.faults = faults;
    }

    /**
     * How the zone shares its state; {@code null} when it does not, or when there is a fault.
     *
     * @param where the full name of the zone
     * @param limits all that it may grant: Redis has to be able to count each of them
     */
    @Nullable
    Sharing compile(String where, ZoneProperties written, Limits limits) {
        if (written.store() == StoreName.LOCAL) {
            checkLocal(where, written);
            return null;
        }
        boolean sound = true;
        String fault = storeFault.get();
        if (fault != null) {
            faults.add(where + ".store", "is 'redis', which " + fault + ", or write local");
            sound = false;
        }
        Algorithm own = limits.own().algorithm();
        sound &= checkBurst(where, own);
        for (Written other : limits.others()) {
            sound &= checkBurst(other.where(), other.algorithm());
        }
        sound &= checkLease(where + ".lease", written.lease(), own);
        Algorithm guard = null;
        String writtenGuard = written.localGuard();
        if (writtenGuard != null && !writtenGuard.isBlank()) {
            guard = guard(where + ".local-guard", writtenGuard);
            sound &= guard != null;
        }
        return sound ? new Sharing(onFailure(written.onStoreFailure()), guard, written.lease()) : null;
    }

    private void checkLocal(String where, ZoneProperties written) {
        String guard = written.localGuard();
        if (guard != null && !guard.isBlank()) {
            unshared(where + ".local-guard");
        }
        if (written.lease() != 1) {
            unshared(where + ".lease");
        }
        if (written.onStoreFailure() != StoreFailure.LOCAL) {
            unshared(where + ".on-store-failure");
        }
    }

    private void unshared(String where) {
        faults.add(where, "has no meaning for a zone that is kept in this instance; remove it, or write store: redis");
    }

    private boolean checkBurst(String where, Algorithm algorithm) {
        String tooMuch = RedisLimits.tooMuch(algorithm);
        if (tooMuch != null) {
            faults.add(where + ".burst", tooMuch);
        }
        return tooMuch == null;
    }

    private boolean checkLease(String where, int lease, Algorithm algorithm) {
        if (lease < 1) {
            faults.add(where, "is " + lease + "; write how many permits to fetch per trip, at least 1");
            return false;
        }
        if (lease > 1 && (algorithm instanceof Concurrency || algorithm instanceof LeakyBucket)) {
            faults.add(
                    where,
                    "has no meaning for " + algorithm.name() + ", whose permits cannot be fetched ahead; remove it");
            return false;
        }
        if (lease > algorithm.limit()) {
            faults.add(
                    where,
                    "is " + lease + ", above what one key may draw at once (" + algorithm.limit() + "); write less");
            return false;
        }
        return true;
    }

    private @Nullable Algorithm guard(String where, String written) {
        try {
            Rate rate = Rate.parse(written);
            return TokenBucket.of(rate, rate.writtenPermits());
        } catch (IllegalArgumentException e) {
            faults.add(where, written, e);
            return null;
        }
    }

    private static OnFailure onFailure(StoreFailure written) {
        return switch (written) {
            case LOCAL -> OnFailure.LOCAL;
            case ALLOW -> OnFailure.ALLOW;
            case REJECT -> OnFailure.REJECT;
        };
    }
}
