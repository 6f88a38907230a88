package io.github.ratelimit.store.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.algorithm.Penalty;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.store.Bans.Ban;
import io.github.ratelimit.store.Bans.Standing;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LocalBansTests {

    private static final Penalty PENALTY =
            new Penalty(3, nanos("PT1M"), nanos("PT10M"), 2, nanos("PT24H"), Penalty.NO_PERMANENT_BAN);
    private static final int ROOM = 100;

    private final AtomicLong nanos = new AtomicLong();
    private final LocalBans bans = new LocalBans(nanos::get);
    private final List<Ban> imposed = new CopyOnWriteArrayList<>();

    @Test
    void strikeWhenTheLastOneThenBansAndTellsOnce() {
        strike("alice", 2);
        assertThat(bans.find("login", key("alice"))).isNull();
        assertThat(bans.standing("login", key("alice"), PENALTY)).isEqualTo(new Standing(2, null));
        strike("alice", 5);
        assertThat(imposed).containsExactly(new Ban(1, nanos("PT10M")));
        nanos.addAndGet(nanos("PT4M"));
        assertThat(bans.find("login", key("alice"))).isEqualTo(new Ban(1, nanos("PT6M")));
        assertThat(bans.find("login", key("bob"))).isNull();
        assertThat(bans.find("other", key("alice"))).isNull();
        nanos.addAndGet(nanos("PT6M"));
        assertThat(bans.find("login", key("alice"))).isNull();
    }

    @Test
    void liftThenBanAndConductAreForgotten() {
        strike("alice", 3);
        bans.lift("login", key("alice"));
        bans.lift("login", key("nobody"));
        assertThat(bans.find("login", key("alice"))).isNull();
        assertThat(bans.size("login")).isZero();
        strike("alice", 3);
        assertThat(imposed).containsExactly(new Ban(1, nanos("PT10M")), new Ban(1, nanos("PT10M")));
    }

    @Test
    void sweepThenOnlyWhatSaysNothingLeaves() {
        strike("once", 1);
        strike("banned", 3);
        nanos.addAndGet(nanos("PT1M") - 1);
        bans.sweep();
        assertThat(bans.size("login")).isEqualTo(2);
        nanos.addAndGet(1);
        bans.sweep();
        assertThat(bans.size("login")).isEqualTo(1);
        nanos.addAndGet(nanos("PT24H"));
        bans.sweep();
        assertThat(bans.size("login")).isEqualTo(1);
        nanos.addAndGet(nanos("PT9M"));
        bans.sweep();
        assertThat(bans.size("login")).isZero();
    }

    @Test
    void strikeWhenThereIsNoRoomThenNobodyIsThrownOutAndNewcomersAreNotNoted() {
        strike("banned", 3);
        for (int i = 0; i < 10 * ROOM; i++) {
            strike("key-" + i, 3);
        }
        assertThat(bans.size("login")).isEqualTo(ROOM);
        assertThat(bans.find("login", key("banned"))).isNotNull();
        assertThat(bans.find("login", key("key-999"))).isNull();
        nanos.addAndGet(nanos("PT25H"));
        bans.sweep();
        strike("key-999", 3);
        assertThat(bans.find("login", key("key-999"))).isNotNull();
    }

    @Test
    void strikeWhenManyThreadsStrikeOneKeyThenExactlyOneBanIsTold() throws InterruptedException {
        int threads = 8;
        CountDownLatch done = new CountDownLatch(threads);
        for (int t = 0; t < threads; t++) {
            new Thread(() -> {
                        strike("alice", 10_000);
                        done.countDown();
                    })
                    .start();
        }
        done.await();
        assertThat(imposed).hasSize(1);
    }

    @Test
    void strikeWhenManyThreadsBringNewKeysThenTheRoomIsNeverExceeded() throws InterruptedException {
        int threads = 8;
        CountDownLatch done = new CountDownLatch(threads);
        for (int t = 0; t < threads; t++) {
            int thread = t;
            new Thread(() -> {
                        for (int i = 0; i < 2_000; i++) {
                            strike(thread + "-" + i, 1);
                            bans.lift("login", key(thread + "-" + (i - 3)));
                        }
                        done.countDown();
                    })
                    .start();
        }
        done.await();
        assertThat(bans.size("login")).isBetween(1, ROOM);
        nanos.addAndGet(nanos("PT2M"));
        bans.sweep();
        assertThat(bans.size("login")).isZero();
    }

    @Test
    void retainThenZonesThatAreGoneAreForgottenAndTheirRehearsalsToo() {
        strike("alice", 3);
        bans.strike("gone", key("alice"), PENALTY, ROOM, ban -> {});
        bans.strike("gone\nrehearsal", key("alice"), PENALTY, ROOM, ban -> {});
        bans.strike("login\nrehearsal", key("alice"), PENALTY, ROOM, ban -> {});
        bans.retain(Set.of("login"));
        assertThat(bans.size("login")).isOne();
        assertThat(bans.size("login\nrehearsal")).isOne();
        assertThat(bans.size("gone")).isZero();
        assertThat(bans.size("gone\nrehearsal")).isZero();
    }

    private void strike(String key, int times) {
        for (int i = 0; i < times; i++) {
            bans.strike("login", key(key), PENALTY, ROOM, imposed::add);
        }
    }

    private static RateLimitKey key(String text) {
        return RateLimitKey.ofText(text);
    }

    private static long nanos(String duration) {
        return Duration.parse(duration).toNanos();
    }
}
