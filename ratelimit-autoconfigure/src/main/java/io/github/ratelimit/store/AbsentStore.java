package io.github.ratelimit.store;

import io.github.ratelimit.key.RateLimitKey;
import java.util.List;

/** Stands where nothing is shared. */
enum AbsentStore implements SharedStore {
    INSTANCE;

    @Override
    public List<Reply> acquire(List<Demand> demands) {
        throw absent();
    }

    @Override
    public List<Reply> peek(List<Demand> demands) {
        throw absent();
    }

    @Override
    public void charge(Demand demand, Reply drawn) {
        // nothing can have been drawn
    }

    @Override
    public void refund(Demand demand, Reply drawn) {
        // nothing can have been drawn
    }

    @Override
    public void forget(String zone, RateLimitKey key) {
        throw absent();
    }

    private static StoreUnavailableException absent() {
        return new StoreUnavailableException(
                StoreUnavailableException.Kind.UNREACHABLE, "no store is configured", null);
    }
}
