package io.github.ratelimit.store.redis;

import io.github.ratelimit.store.StoreUnavailableException;
import io.github.ratelimit.store.StoreUnavailableException.Kind;
import io.github.ratelimit.store.ZoneChange;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads changes as Redis keeps them, and tells once what cannot be read. Safe for use by many threads. */
final class ChangesText {

    private static final Logger log = LoggerFactory.getLogger(RedisChanges.class);

    private Set<String> unreadable = Set.of();
    private @Nullable Kind failing;

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Changes by zone, in a map that may be changed; one that cannot be read changes nothing. */
    Map<String, ZoneChange> read(Map<byte[], byte[]> fields) {
        Map<String, ZoneChange> changes = new LinkedHashMap<>();
        Set<String> strange = new HashSet<>();
        fields.forEach((field, value) -> {
            String zone = new String(field, StandardCharsets.UTF_8);
            try {
                changes.put(zone, ZoneChange.ofText(new String(value, StandardCharsets.UTF_8)));
            } catch (IllegalArgumentException e) {
                changes.put(zone, ZoneChange.NONE);
                strange.add(zone);
            }
        });
        tell(strange);
        return changes;
    }

    private synchronized void tell(Set<String> strange) {
        failing = null;
        if (!strange.equals(unreadable)) {
            unreadable = strange;
            if (!strange.isEmpty()) {
                log.warn("Changes of the zones {} that Redis has cannot be read, and are left aside", strange);
            }
        }
    }

    /** Changes could not be read or put there. */
    synchronized void failed(StoreUnavailableException failure) {
        if (failing != failure.kind()) {
            failing = failure.kind();
            log.warn(
                    "Changes of zones are not exchanged with other instances ({}): {}. Those that are known stay in force",
                    failure.kind(),
                    failure.getMessage());
        }
    }
}
