package io.github.ratelimit.limiter;

import io.github.ratelimit.Decision.Reason;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.policy.Zone;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** All zones at work, by name. Safe for use by many threads. */
final class LiveZones {

    private final Map<String, LiveZone> zones = new ConcurrentHashMap<>();
    private final ZoneStores stores;

    LiveZones(ZoneStores stores) {
        this.stores = stores;
    }

    /** Puts a zone's configuration in force whose state may exist already. */
    void configure(Zone zone) {
        stores.open(zone.name(), zone);
        if (zone.sharing() != null && zone.sharing().guard() != null) {
            stores.open(guard(zone), zone);
        }
    }

    LiveZone of(Zone zone) {
        LiveZone live = zones.get(zone.name());
        return live != null ? live : zones.computeIfAbsent(zone.name(), name -> open(zone));
    }

    /** What {@link #draw} would say; draws nothing. */
    Draw look(Charge charge, Tier tier) {
        RateLimitKey key = charge.key();
        return key == null || !charge.allowance().isLimited()
                ? undrawn(charge)
                : Draw.of(charge, of(charge.zone()).store.peek(key, charge.algorithm(), charge.cost()), tier);
    }

    /** Draws from the state in this instance. */
    Draw draw(Charge charge, Tier tier) {
        RateLimitKey key = charge.key();
        return key == null || !charge.allowance().isLimited()
                ? undrawn(charge)
                : Draw.of(charge, of(charge.zone()).store.acquire(key, charge.algorithm(), charge.cost()), tier);
    }

    /** What is said of a charge that draws on no state: the request has no key, or the key no quota. */
    private static Draw undrawn(Charge charge) {
        if (charge.key() == null) {
            return Draw.withoutKey(charge);
        }
        return charge.unlimited()
                ? Draw.unlimited(charge)
                : Draw.refused(charge, Reason.DENIED, Step.NEVER, Tier.LOCAL);
    }

    private LiveZone open(Zone zone) {
        return new LiveZone(zone.name(), stores.open(zone.name(), zone), () -> stores.open(guard(zone), zone));
    }

    /** No zone's own name has a line break. */
    private static String guard(Zone zone) {
        return zone.name() + "\nguard";
    }
}
