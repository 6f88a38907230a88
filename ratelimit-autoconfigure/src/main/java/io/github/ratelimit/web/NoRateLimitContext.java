package io.github.ratelimit.web;

import io.github.ratelimit.Decision;
import io.github.ratelimit.RateLimitContext;
import java.util.List;

/** The context of a request that no filter of ours has seen, as when limiting is switched off: settles nothing. */
final class NoRateLimitContext implements RateLimitContext {

    static final NoRateLimitContext INSTANCE = new NoRateLimitContext();

    private NoRateLimitContext() {}

    @Override
    public List<Decision> decisions() {
        return List.of();
    }

    @Override
    public void charge(long permits) {
        check(permits);
    }

    @Override
    public void charge(String zone, long permits) {
        check(permits);
    }

    @Override
    public void refund(long permits) {
        check(permits);
    }

    @Override
    public void refund(String zone, long permits) {
        check(permits);
    }

    private static void check(long permits) {
        if (permits < 0) {
            throw new IllegalArgumentException("Permits must not be negative: " + permits);
        }
    }
}
