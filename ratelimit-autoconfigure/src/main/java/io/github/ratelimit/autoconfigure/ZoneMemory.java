package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.policy.Policy;
import io.github.ratelimit.policy.PolicyHolder;
import io.github.ratelimit.policy.Sharing;
import io.github.ratelimit.policy.Sharing.OnFailure;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.store.local.Footprint;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says how much heap the zones may take, at start-up and whenever that changes. */
final class ZoneMemory {

    private static final Logger log = LoggerFactory.getLogger("io.github.ratelimit");
    private static final List<String> NUMBERS = List.of("client-ip", "global");
    private static final List<String> DIGESTS = List.of("header:", "cookie:", "param:");

    private String told = "";

    ZoneMemory(PolicyHolder policies) {
        policies.onChange(this::tell);
    }

    private void tell(Policy policy) {
        String memory = policy.zones().values().stream()
                .filter(ZoneMemory::isKeptHere)
                .map(ZoneMemory::describe)
                .collect(Collectors.joining(", "));
        if (!memory.isEmpty() && !memory.equals(told)) {
            log.info("Rate limiting: heap of zones when they are full: {}", memory);
        }
        told = memory;
    }

    private static String describe(Zone zone) {
        return "'%s' %s (%d keys)".formatted(zone.name(), size(bytes(zone)), zone.maxKeys());
    }

    /** What a zone takes at most. */
    static long bytes(Zone zone) {
        return zone.maxKeys() * Footprint.bytesPerKey(zone.algorithm(), hasTextKeys(zone));
    }

    /** A shared zone is kept here while its store fails, if at all. */
    private static boolean isKeptHere(Zone zone) {
        Sharing sharing = zone.sharing();
        return sharing == null || sharing.onFailure() == OnFailure.LOCAL;
    }

    private static boolean hasTextKeys(Zone zone) {
        List<String> names = zone.key().names();
        String name = names.get(0);
        return names.size() > 1 || !(NUMBERS.contains(name) || DIGESTS.stream().anyMatch(name::startsWith));
    }

    private static String size(long bytes) {
        return bytes < 1_000_000
                ? "%d KB".formatted((bytes + 999) / 1_000)
                : String.format(Locale.ROOT, "%.1f MB", bytes / 1e6);
    }
}
