package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.policy.Sharing;
import io.github.ratelimit.policy.Sharing.OnFailure;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.store.local.Footprint;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Says how much heap zones may take. */
final class ZoneMemory {

    private static final List<String> NUMBERS = List.of("client-ip", "global");
    private static final List<String> DIGESTS = List.of("header:", "cookie:", "param:");

    private ZoneMemory() {}

    /** What each zone takes when it is full, "none" where none is kept in this instance. */
    static String describe(Collection<Zone> zones) {
        String memory = zones.stream()
                .filter(ZoneMemory::isKeptHere)
                .map(ZoneMemory::describe)
                .collect(Collectors.joining(", "));
        return memory.isEmpty() ? "none" : memory;
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
