package io.github.ratelimit.store.local;

import io.github.ratelimit.algorithm.Conduct;
import io.github.ratelimit.algorithm.Penalty;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.store.Bans;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bans of this JVM. A key's conduct leaves by itself once it says nothing any more, and is never thrown out before:
 * where a zone has no room left, newcomers are refused without being noted, and that is said.
 */
public final class LocalBans implements Bans {

    private static final Logger log = LoggerFactory.getLogger(LocalBans.class);
    private static final long WARN_NANOS = 60_000_000_000L;

    private final Map<String, Conducts> zones = new ConcurrentHashMap<>();
    private final Ticker ticker;

    /** Nobody is banned. */
    public LocalBans(Ticker ticker) {
        this.ticker = ticker;
    }

    @Override
    public @Nullable Ban find(String zone, RateLimitKey key) {
        Conducts conducts = zones.get(zone);
        if (conducts == null) {
            return null;
        }
        Conduct conduct = conducts.byKey.get(key);
        return conduct == null ? null : ban(conduct, ticker.read(), conducts.penalty);
    }

    @Override
    public @Nullable Ban strike(String zone, RateLimitKey key, Penalty penalty, int maxKeys, Consumer<Ban> onBan) {
        Conducts conducts = zones.computeIfAbsent(zone, name -> new Conducts(penalty, ticker.read()));
        conducts.penalty = penalty;
        @Nullable Ban[] inForce = new Ban[1];
        boolean[] imposed = new boolean[1];
        boolean noted = conducts.byKey.compute(key, (same, before) -> {
                    if (before == null && !conducts.enter(maxKeys)) {
                        return null;
                    }
                    // read in here: of two refusals at once, the second is not the earlier one
                    long now = ticker.read();
                    Conduct conduct = before == null ? Conduct.BLAMELESS : before;
                    Conduct after = conduct.refused(penalty, now);
                    inForce[0] = ban(after, now, penalty);
                    imposed[0] = !conduct.isBanned(now);
                    return after;
                })
                != null;
        Ban ban = inForce[0];
        if (ban != null && imposed[0]) {
            onBan.accept(ban);
        }
        if (!noted && conducts.complains(ticker.read())) {
            log.warn(
                    "The penalty box of zone '{}' is full: {} keys are banned or on their way there, and refusals of further"
                            + " keys lead to no ban. Raise ratelimit.zones.{}.max-keys, or shorten penalty.within",
                    zone,
                    conducts.byKey.size(),
                    zone);
        }
        return ban;
    }

    @Override
    public Standing standing(String zone, RateLimitKey key, Penalty penalty) {
        Conducts conducts = zones.get(zone);
        Conduct conduct = conducts == null ? null : conducts.byKey.get(key);
        if (conduct == null) {
            return new Standing(0, null);
        }
        long now = ticker.read();
        return new Standing(conduct.strikes(penalty, now), ban(conduct, now, penalty));
    }

    @Override
    public void lift(String zone, RateLimitKey key) {
        Conducts conducts = zones.get(zone);
        if (conducts != null && conducts.byKey.remove(key) != null) {
            conducts.held.decrementAndGet();
        }
    }

    /** Keys of a zone that are banned or on their way there. */
    public int size(String zone) {
        Conducts conducts = zones.get(zone);
        return conducts == null ? 0 : conducts.held.get();
    }

    /** Forgets the zones that are not among these; what stands behind a line break belongs to the zone before it. */
    void retain(Set<String> names) {
        zones.keySet().removeIf(name -> !names.contains(name.lines().findFirst().orElse(name)));
    }

    /** Drops the keys whose conduct says nothing any more. */
    void sweep() {
        zones.values().forEach(conducts -> conducts.sweep(ticker));
    }

    private static @Nullable Ban ban(Conduct conduct, long now, Penalty penalty) {
        return conduct.isBanned(now) ? new Ban(conduct.bans(penalty, now), conduct.restNanos(now)) : null;
    }

    /** The keys of one zone. */
    private static final class Conducts {

        final Map<RateLimitKey, Conduct> byKey = new ConcurrentHashMap<>();
        final AtomicInteger held = new AtomicInteger();
        final AtomicLong nextWarning;
        volatile Penalty penalty;

        Conducts(Penalty penalty, long now) {
            this.penalty = penalty;
            this.nextWarning = new AtomicLong(now);
        }

        boolean enter(int maxKeys) {
            if (held.incrementAndGet() <= maxKeys) {
                return true;
            }
            held.decrementAndGet();
            return false;
        }

        boolean complains(long now) {
            long due = nextWarning.get();
            return now - due >= 0 && nextWarning.compareAndSet(due, now + WARN_NANOS);
        }

        void sweep(Ticker ticker) {
            Penalty current = penalty;
            for (RateLimitKey key : byKey.keySet()) {
                byKey.computeIfPresent(key, (same, conduct) -> {
                    if (!conduct.isBlameless(current, ticker.read())) {
                        return conduct;
                    }
                    held.decrementAndGet();
                    return null;
                });
            }
        }
    }
}
