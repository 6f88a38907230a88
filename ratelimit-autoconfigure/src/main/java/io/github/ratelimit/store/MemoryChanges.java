package io.github.ratelimit.store;

import java.util.LinkedHashMap;
import java.util.Map;

/** Keeps changes as long as the application runs. */
final class MemoryChanges implements ChangeStore {

    private volatile Map<String, ZoneChange> changes = Map.of();

    @Override
    public Map<String, ZoneChange> changes() {
        return changes;
    }

    @Override
    public synchronized void put(String zone, ZoneChange change) {
        Map<String, ZoneChange> next = new LinkedHashMap<>(changes);
        next.put(zone, change);
        changes = Map.copyOf(next);
    }

    @Override
    public synchronized void remove(String zone) {
        Map<String, ZoneChange> next = new LinkedHashMap<>(changes);
        next.remove(zone);
        changes = Map.copyOf(next);
    }

    @Override
    public void onChange(Runnable listener) {
        // there is no other instance
    }
}
