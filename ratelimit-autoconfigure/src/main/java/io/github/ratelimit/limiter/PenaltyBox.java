package io.github.ratelimit.limiter;

import io.github.ratelimit.algorithm.Penalty;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.observe.MaskedKey;
import io.github.ratelimit.observe.SafeText;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.store.Bans;
import io.github.ratelimit.store.Bans.Ban;
import io.github.ratelimit.store.Bans.Standing;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bans keys that are refused again and again, in zones that say so.
 *
 * <p>Only what a key did itself counts: refusals by its own limit, not those by a bucket that it shares, a full zone or a failing
 * store. What a dry run would have refused leads to bans of its own, which only dry runs see: it never keeps a request out.
 */
final class PenaltyBox {

    private static final Logger log = LoggerFactory.getLogger(RateLimiter.class);

    private final Bans own;
    private final Bans shared;
    private final LimiterListener listener;
    private final InstantSource clock;

    PenaltyBox(Bans own, Bans shared, LimiterListener listener, InstantSource clock) {
        this.own = own;
        this.shared = shared;
        this.listener = listener;
        this.clock = clock;
    }

    /**
     * The ban that keeps a charge out; {@code null} when there is none. Where an override says that a key is never limited, or
     * always refused, that stands.
     */
    @Nullable
    Ban ban(Charge charge) {
        Zone zone = charge.zone();
        RateLimitKey key = charge.key();
        if (zone.penalty() == null || key == null || !charge.allowance().isLimited()) {
            return null;
        }
        Ban ban = bans(zone).find(zone.name(), key);
        if (ban == null && charge.dryRun()) {
            ban = own.find(rehearsal(zone.name()), key);
        }
        return ban;
    }

    /**
     * Notes that a charge was refused by the key's own limit.
     *
     * @return the ban that keeps the key out from now on, as far as it is known at once; {@code null} without one, and in a dry
     *     run
     */
    @Nullable
    Ban strike(Charge charge, ZoneStatistics statistics) {
        Zone zone = charge.zone();
        Penalty penalty = zone.penalty();
        RateLimitKey key = charge.key();
        if (penalty == null || key == null) {
            return null;
        }
        boolean dryRun = charge.dryRun();
        Bans bans = dryRun ? own : bans(zone);
        String name = dryRun ? rehearsal(zone.name()) : zone.name();
        Ban inForce = bans.strike(name, key, penalty, zone.maxKeys(), ban -> {
            if (!dryRun) {
                statistics.addBan();
            }
            tell(zone, key, ban, dryRun);
        });
        return dryRun ? null : inForce;
    }

    /** How a key stands with a zone, dry runs left out. */
    Standing standing(Zone zone, RateLimitKey key) {
        Penalty penalty = zone.penalty();
        return penalty == null ? new Standing(0, null) : bans(zone).standing(zone.name(), key, penalty);
    }

    /** Lifts the ban of a key and forgets its conduct, in dry runs too. */
    void lift(Zone zone, RateLimitKey key) {
        bans(zone).lift(zone.name(), key);
        own.lift(rehearsal(zone.name()), key);
    }

    private Bans bans(Zone zone) {
        return zone.sharing() == null ? own : shared;
    }

    private void tell(Zone zone, RateLimitKey key, Ban ban, boolean dryRun) {
        Instant now = clock.instant();
        Duration duration = ban.permanent() ? null : Duration.ofNanos(ban.restNanos());
        log.warn(
                "Zone '{}' {} key {} {}, its ban number {}",
                zone.name(),
                dryRun ? "would ban" : "bans",
                SafeText.escaped(MaskedKey.of(key)),
                duration == null ? "until it is released" : "for " + duration,
                ban.number());
        listener.banned(new KeyBanned(zone.name(), key, now, duration, ban.number(), dryRun));
    }

    /** No zone's own name has a line break. */
    private static String rehearsal(String zone) {
        return zone + "\nrehearsal";
    }
}
