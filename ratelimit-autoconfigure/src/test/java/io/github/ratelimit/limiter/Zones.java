package io.github.ratelimit.limiter;

import io.github.ratelimit.Decision;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Penalty;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.algorithm.TokenBucket;
import io.github.ratelimit.key.KeyPart;
import io.github.ratelimit.key.KeyPlan;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.key.RequestView;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.store.SharedStore;
import io.github.ratelimit.store.ZoneStore;
import io.github.ratelimit.store.ZoneUsage;
import io.github.ratelimit.store.local.LocalStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A limiter over local zones, at a time that passes when it is told to. */
final class Zones implements AutoCloseable {

    static final RateLimitKey KEY = RateLimitKey.ofText("key");

    private static final KeyPlan GLOBAL = new KeyPlan(List.of(new Global()), KeyPlan.MissingKey.REJECT);

    private final AtomicLong nanos = new AtomicLong();
    private final LocalStore store = new LocalStore(nanos::get);
    private final Map<String, Runnable> events = new ConcurrentHashMap<>();
    final Seats seats = new Seats();
    final RateLimiter limiter;

    Zones() {
        this(SharedStore.absent());
    }

    Zones(SharedStore shared) {
        this.limiter = new RateLimiter(
                (name, zone) ->
                        new Interrupted(name, store.zone(name, zone.maxKeys(), zone.whenFull() == Zone.WhenFull.SHARE)),
                shared,
                seats,
                store.bans(),
                store.bans(),
                () -> Instant.EPOCH.plusNanos(nanos.get()));
    }

    static Zone zone(String name, String rate, long burst) {
        return zone(name, rate, burst, 1_000, Zone.WhenFull.SHARE);
    }

    static Zone zone(String name, String rate, long burst, int maxKeys, Zone.WhenFull whenFull) {
        return new Zone(name, GLOBAL, TokenBucket.of(Rate.parse(rate), burst), maxKeys, whenFull, false);
    }

    static Zone zone(String name, Algorithm algorithm) {
        return new Zone(name, GLOBAL, algorithm, 1_000, Zone.WhenFull.SHARE, false);
    }

    static Charge charge(Zone zone) {
        return new Charge(zone, KEY, 1, false);
    }

    /** Lets something else happen just before the next draw from a zone. */
    void beforeDraw(Zone zone, Runnable event) {
        events.put(zone.name(), event);
    }

    /** Bans the key from a zone that punishes. */
    void ban(Zone zone) {
        Penalty penalty = Objects.requireNonNull(zone.penalty());
        for (int i = 0; i < penalty.after(); i++) {
            store.bans().strike(zone.name(), KEY, penalty, zone.maxKeys(), ban -> {});
        }
    }

    void advance(Duration duration) {
        nanos.addAndGet(duration.toNanos());
    }

    /** Permits that are left to the key. */
    long left(Zone zone) {
        Decision look = limiter.peek(zone, KEY);
        return look.permitted() ? look.remaining() + 1 : 0;
    }

    @Override
    public void close() {
        store.close();
    }

    private final class Interrupted implements ZoneStore {

        private final String name;
        private final ZoneStore store;

        Interrupted(String name, ZoneStore store) {
            this.name = name;
            this.store = store;
        }

        @Override
        public Step acquire(RateLimitKey key, Algorithm algorithm, long cost, Step into) {
            Runnable event = events.remove(name);
            if (event != null) {
                event.run();
            }
            return store.acquire(key, algorithm, cost, into);
        }

        @Override
        public Step peek(RateLimitKey key, Algorithm algorithm, long cost) {
            return store.peek(key, algorithm, cost);
        }

        @Override
        public void charge(RateLimitKey key, Algorithm algorithm, long cost, Step drawn) {
            store.charge(key, algorithm, cost, drawn);
        }

        @Override
        public void refund(RateLimitKey key, Algorithm algorithm, long cost, Step drawn) {
            store.refund(key, algorithm, cost, drawn);
        }

        @Override
        public void forget(RateLimitKey key) {
            store.forget(key);
        }

        @Override
        public ZoneUsage usage() {
            return store.usage();
        }
    }

    /** Places to wait, as many as are put there. */
    static final class Seats implements WaitingSeats {

        final AtomicInteger left = new AtomicInteger(1_000);

        @Override
        public boolean take() {
            return left.getAndUpdate(seats -> Math.max(0, seats - 1)) > 0;
        }

        @Override
        public void giveBack() {
            left.incrementAndGet();
        }
    }

    private record Global() implements KeyPart {

        @Override
        public String name() {
            return "global";
        }

        @Override
        public RateLimitKey resolve(RequestView view) {
            return KEY;
        }

        @Override
        public RateLimitKey ofRaw(String raw) {
            return KEY;
        }
    }
}
