package io.github.ratelimit.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.github.ratelimit.fixture.RedisServer;
import io.github.ratelimit.store.ChangeStore;
import io.github.ratelimit.store.ChangeStoreContract;
import io.github.ratelimit.store.StoreUnavailableException;
import io.github.ratelimit.store.ZoneChange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RedisChangesTests extends ChangeStoreContract {

    private static final RedisServer SERVER = RedisServer.start();
    private static final String KEY = Stores.PREFIX + "{changes}";
    private static final ZoneChange FASTER = new ZoneChange("50/s", 100L, null, null, null);
    private static final ZoneChange DRY = new ZoneChange(null, null, null, 10, true);
    private static final Duration SOON = Duration.ofSeconds(1);
    private static final Duration RECOVERY = Duration.ofSeconds(5);

    private final List<RedisStore> opened = new ArrayList<>();

    @AfterAll
    static void stop() {
        SERVER.close();
    }

    @BeforeEach
    void empty() {
        SERVER.call(redis -> redis.flushall());
    }

    @AfterEach
    void close() {
        opened.forEach(RedisStore::close);
    }

    @Override
    protected ChangeStore store() {
        RedisStore store = Stores.at(SERVER);
        opened.add(store);
        return store.changes();
    }

    @Test
    void putWhenAnotherInstanceIsThereThenItIsToldWithinASecondAndTheWriterIsNot() {
        ChangeStore here = store();
        ChangeStore there = store();
        AtomicInteger toldHere = new AtomicInteger();
        AtomicInteger toldThere = new AtomicInteger();
        here.onChange(toldHere::incrementAndGet);
        there.onChange(toldThere::incrementAndGet);

        here.put("login", FASTER);
        await().atMost(SOON).until(() -> there.changes().equals(Map.of("login", FASTER)) && toldThere.get() == 1);
        here.remove("login");
        await().atMost(SOON).until(() -> there.changes().isEmpty() && toldThere.get() == 2);

        there.put("api", DRY);
        await().atMost(SOON).until(() -> toldHere.get() == 1);
        assertThat(toldThere).hasValue(2);
    }

    @Test
    void putWhenAnotherInstanceHasJustWrittenThenTheWriterIsToldOfThat() {
        ChangeStore here = store();
        ChangeStore there = store();
        AtomicInteger told = new AtomicInteger();
        here.onChange(told::incrementAndGet);

        there.put("api", DRY);
        here.put("login", FASTER);
        assertThat(here.changes()).containsOnlyKeys("api", "login");
        await().atMost(SOON).until(() -> told.get() == 1);
    }

    @Test
    void startWhenAnEarlierInstanceHasWrittenThenTheChangesAreThereAtOnce() {
        store().put("login", FASTER);
        close();

        assertThat(store().changes()).containsOnly(Map.entry("login", FASTER));
    }

    @Test
    void putWhenDoneThenTheKeyLivesAYearAndNotForEver() {
        ChangeStore store = store();
        store.put("login", FASTER);
        assertThat(Duration.ofMillis(SERVER.life(KEY))).isBetween(Duration.ofDays(399), Duration.ofDays(400));

        SERVER.call(redis -> redis.persist(KEY));
        await().atMost(SOON).until(() -> SERVER.life(KEY) > 0);
        SERVER.call(redis -> redis.pexpire(KEY, Duration.ofDays(299)));
        await().atMost(SOON).until(() -> SERVER.life(KEY) > Duration.ofDays(399).toMillis());
    }

    @Test
    void changesWhenNoneIsInForceAndTheTtlIsLostThenTheKeyHeals() {
        ChangeStore store = store();
        store.put("login", FASTER);
        store.remove("login");
        assertThat(SERVER.<Boolean>call(redis -> redis.persist(KEY))).isTrue();

        await().atMost(SOON).until(() -> SERVER.life(KEY) > 0);
    }

    @Test
    void changesWhenRedisHasLostThemThenTheyStayAndAreThereAgain() {
        ChangeStore store = store();
        store.put("login", FASTER);
        store.put("api", DRY);
        store.remove("api");
        SERVER.kill();
        SERVER.restart();

        await().atMost(RECOVERY)
                .until(() -> SERVER.call(redis -> redis.hgetall(KEY)).equals(Map.of("login", FASTER.toText())));
        assertThat(SERVER.life(KEY)).isPositive();
        assertThat(store.changes()).containsOnly(Map.entry("login", FASTER));
    }

    @Test
    void putWhenRedisIsAwayThenFailsAndWhatIsKnownStays() {
        ChangeStore store = store();
        store.put("login", FASTER);
        SERVER.kill();
        try {
            assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> store.put("login", DRY));
            assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> store.remove("login"));
            assertThat(store.changes()).containsOnly(Map.entry("login", FASTER));
        } finally {
            SERVER.restart();
        }
        await().atMost(RECOVERY).ignoreExceptions().until(() -> {
            store.put("login", DRY);
            return true;
        });
        assertThat(store.changes()).containsOnly(Map.entry("login", DRY));
    }

    @Test
    void putWhenRedisIsFullThenFailsAndNothingIsThere() {
        ChangeStore store = store();
        SERVER.call(redis -> redis.configSet("maxmemory", "1"));
        try {
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> store.put("login", FASTER))
                    .matches(e -> e.kind() == StoreUnavailableException.Kind.OUT_OF_MEMORY);
            assertThat(store.changes()).isEmpty();
        } finally {
            SERVER.call(redis -> redis.configSet("maxmemory", "0"));
        }
        assertThat(SERVER.keys(KEY)).isEmpty();
    }

    @Test
    void startWhenChangesWereMadeBeforeThenTheyAreHandedOverUnlessAnotherInstanceHasOthers() {
        ChangeStore there = store();
        there.put("login", FASTER);
        RedisStore late = Stores.idle(SERVER);
        opened.add(late);
        late.changes().put("login", DRY);
        late.changes().put("api", DRY);
        assertThat(late.changes().changes()).hasSize(2);
        assertThat(SERVER.<Long>call(redis -> redis.hlen(KEY))).isEqualTo(1);

        late.start();
        assertThat(late.changes().changes()).isEqualTo(Map.of("login", FASTER, "api", DRY));
        await().atMost(SOON).until(() -> there.changes().equals(Map.of("login", FASTER, "api", DRY)));
    }

    @Test
    void changesWhenOneCannotBeReadThenTheOthersAreInForce() {
        ChangeStore store = store();
        SERVER.call(redis -> redis.hset(KEY, Map.of("login", "burst: many", "api", DRY.toText())));

        await().atMost(SOON).until(() -> store.changes().equals(Map.of("api", DRY)));
    }

    @Test
    void startWhenThereIsNoRedisThenChangesAreReadAsSoonAsThereIs() {
        int port = RedisServer.freePort();
        RedisStore store = Stores.at(port, Duration.ofMillis(100));
        opened.add(store);
        assertThat(store.changes().changes()).isEmpty();
        try (RedisServer late = RedisServer.startAt(port)) {
            await().atMost(RECOVERY)
                    .ignoreExceptions()
                    .until(() -> late.call(redis -> redis.hset(KEY, "login", FASTER.toText())));
            await().atMost(RECOVERY).until(() -> store.changes().changes().equals(Map.of("login", FASTER)));
        }
    }
}
