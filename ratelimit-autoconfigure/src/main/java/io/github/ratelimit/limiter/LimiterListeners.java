package io.github.ratelimit.limiter;

import io.github.ratelimit.observe.Refusal;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.store.StoreUnavailableException.Kind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All listeners as one. No fault of a listener reaches the request. */
final class LimiterListeners implements LimiterListener {

    private static final Logger log = LoggerFactory.getLogger(RateLimiter.class);

    private final List<LimiterListener> listeners = new CopyOnWriteArrayList<>();

    /** Adds one; once the result has run, it is not called again. */
    Runnable add(LimiterListener listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    @Override
    public void refused(Refusal refusal) {
        tell(listener -> listener.refused(refusal));
    }

    @Override
    public void delayed(Zone zone, Duration delay) {
        tell(listener -> listener.delayed(zone, delay));
    }

    @Override
    public void banned(KeyBanned ban) {
        tell(listener -> listener.banned(ban));
    }

    @Override
    public void asked(@Nullable Kind failure, long nanos) {
        tell(listener -> listener.asked(failure, nanos));
    }

    private void tell(Consumer<LimiterListener> news) {
        for (LimiterListener listener : listeners) {
            try {
                news.accept(listener);
            } catch (RuntimeException e) {
                log.warn("A listener failed; the request goes on", e);
            }
        }
    }
}
