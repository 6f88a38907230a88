package io.github.ratelimit.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What every store of changes promises. */
public abstract class ChangeStoreContract {

    private static final ZoneChange FASTER = new ZoneChange("50/s", 100L, null, null, null);
    private static final ZoneChange DRY = new ZoneChange(null, null, null, 10, true);

    /** An empty store. */
    protected abstract ChangeStore store();

    @Test
    void changesWhenNothingWasPutThenEmpty() {
        assertThat(store().changes()).isEmpty();
    }

    @Test
    void putWhenDoneThenTheNextLookHasIt() {
        ChangeStore store = store();
        store.put("login", FASTER);
        store.put("/search \u4e2d|x\ny", DRY);

        assertThat(store.changes()).containsOnly(Map.entry("login", FASTER), Map.entry("/search \u4e2d|x\ny", DRY));
    }

    @Test
    void putWhenTheZoneHasAChangeThenReplacesIt() {
        ChangeStore store = store();
        store.put("login", FASTER);
        store.put("login", DRY);

        assertThat(store.changes()).containsOnly(Map.entry("login", DRY));
    }

    @Test
    void removeWhenDoneThenTheNextLookDoesNotHaveIt() {
        ChangeStore store = store();
        store.put("login", FASTER);
        store.put("api", DRY);
        store.remove("login");
        store.remove("login");
        store.remove("unknown");

        assertThat(store.changes()).containsOnly(Map.entry("api", DRY));
    }

    @Test
    void changesWhenPutLaterThenAnEarlierSnapshotStays() {
        ChangeStore store = store();
        Map<String, ZoneChange> before = store.changes();
        store.put("login", FASTER);

        assertThat(before).isEmpty();
    }

    @Test
    void putWhenManyThreadsDoThenNoneIsLost() {
        ChangeStore store = store();
        IntStream.range(0, 200).parallel().forEach(i -> store.put("zone" + i, DRY));

        assertThat(store.changes()).hasSize(200);
    }
}
