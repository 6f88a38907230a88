package io.github.ratelimit.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.ratelimit.algorithm.Penalty;
import io.github.ratelimit.fixture.RedisCluster;
import io.github.ratelimit.fixture.RedisServer;
import io.github.ratelimit.fixture.WebServer;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.store.Bans.Ban;
import io.github.ratelimit.store.local.LocalBans;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two instances on one Redis. */
class RedisBansTests {

    private static final String ZONE = "key: 'header:X-K', rate: 3/s, burst: 3, store: redis,"
            + " penalty: {after: 3, within: 1m, ban: 10m, permanent-after: %d}";
    private static final Penalty PENALTY = new Penalty(
            2,
            Duration.ofMinutes(1).toNanos(),
            Duration.ofMinutes(10).toNanos(),
            2,
            Duration.ofHours(1).toNanos(),
            3);
    private static final RateLimitKey ALICE = RateLimitKey.ofText("alice");

    private final RedisServer redis = RedisServer.start();
    private final List<Ban> imposed = new CopyOnWriteArrayList<>();

    @AfterEach
    void stop() {
        redis.close();
    }

    @Test
    void requestWhenTheKeyWasBannedByAnotherInstanceThenItIsRefusedUntilAThirdLiftsTheBan() {
        String zone = ZONE.formatted(9);
        String open = "management.endpoint.ratelimit.access: unrestricted";
        try (WebServer one = Shop.start(redis.port(), zone, open);
                WebServer two = Shop.start(redis.port(), zone, open)) {
            assertThat(Shop.get(two, 1, "a")).containsExactly(200);
            assertThat(Shop.get(one, 12, "a")).contains(429);
            await().atMost(Duration.ofSeconds(1)).until(() -> isBanned(one));
            await().atMost(Duration.ofSeconds(1)).until(() -> retryAfter(two) > 500);
            assertThat(two.get("/actuator/ratelimit/z").body()).contains("\"penalty\":");
            assertThat(redis.keys("*^z")).hasSize(1).allMatch(key -> redis.life(key) > 0);

            assertThat(two.send("DELETE", "/actuator/ratelimit/z/a", null).statusCode())
                    .isEqualTo(204);
            await().atMost(Duration.ofSeconds(1))
                    .until(() -> Shop.get(one, 1, "a").get(0) == 200);
        }
    }

    @Test
    void requestWhenAnInstanceMeetsABannedKeyFirstThenTheBanDecidesAlthoughTheLimitRefusesToo() {
        String zone = "key: 'header:X-K', rate: 1/h, burst: 1, store: redis,"
                + " penalty: {after: 2, within: 1m, ban: 10m, permanent-after: 1}";
        try (WebServer one = Shop.start(redis.port(), zone)) {
            assertThat(Shop.get(one, 3, "a")).containsExactly(200, 429, 429);
            await().atMost(Duration.ofSeconds(1)).until(() -> isBanned(one));
        }
        try (WebServer restarted = Shop.start(redis.port(), zone)) {
            HttpResponse<String> first = restarted.get("/api", "X-K", "a");
            assertThat(first.statusCode()).isEqualTo(429);
            assertThat(first.headers().firstValue("Retry-After")).isEmpty();
            assertThat(restarted.get("/actuator/ratelimit/z").body()).contains("\"penalty\":1");
        }
    }

    @Test
    void requestsWhenRedisIsAClusterThenBansOfEveryShardHoldOnTheOtherInstanceUntilTheyAreLifted() {
        String zone = ZONE.formatted(9);
        String open = "management.endpoint.ratelimit.access: unrestricted";
        List<String> keys = List.of("a", "b", "c", "d", "e", "f");
        try (RedisCluster cluster = RedisCluster.start();
                WebServer one = Shop.startOn(cluster.addresses(), zone, open);
                WebServer two = Shop.startOn(cluster.addresses(), zone, open)) {
            keys.forEach(key -> assertThat(Shop.get(two, 1, key)).containsExactly(200));
            keys.forEach(key -> Shop.get(one, 12, key));

            keys.forEach(key -> await().atMost(Duration.ofSeconds(1)).until(() -> retryAfter(two, key) > 500));
            for (RedisServer node : cluster.nodes()) {
                assertThat(node.keys("*^z")).isNotEmpty().allMatch(key -> node.life(key) > 0);
            }

            keys.forEach(key -> assertThat(two.send("DELETE", "/actuator/ratelimit/z/" + key, null)
                            .statusCode())
                    .isEqualTo(204));
            keys.forEach(key -> await().atMost(Duration.ofSeconds(1))
                    .until(() -> Shop.get(one, 1, key).get(0) == 200));
            assertThat(one.get("/actuator/ratelimit").body()).contains("\"failures\":0");
        }
    }

    @Test
    void strikeWhenTheTtlIsLostThenTheKeyHeals() {
        Penalty brief = new Penalty(2, millis(300), millis(200), 1, millis(200), 9);
        try (RedisStore one = Stores.at(redis)) {
            RedisBans here = one.bans(new LocalBans(System::nanoTime));
            here.strike("z", ALICE, brief, 10, imposed::add);
            here.strike("z", ALICE, brief, 10, imposed::add);
            await().until(() -> imposed.size() == 1);
            String key = redis.keys("*^z").get(0);
            assertThat(redis.<Boolean>call(commands -> commands.persist(key))).isTrue();

            await().atMost(Duration.ofSeconds(2)).until(() -> here.find("z", ALICE) == null);
            here.strike("z", ALICE, brief, 10, imposed::add);

            await().until(() -> redis.life(key) > 0);
            assertThat(redis.life(key)).isLessThanOrEqualTo(400);
        }
    }

    @Test
    void requestWhenInstancesWereStartedAnewThenTheFirstIsRefusedByAPermanentBan() {
        String zone = ZONE.formatted(1);
        try (WebServer one = Shop.start(redis.port(), zone)) {
            Shop.get(one, 12, "a");
            await().until(() -> isBanned(one));
        }
        String ban = redis.keys("*^z").get(0);
        assertThat(redis.life(ban)).isGreaterThan(Duration.ofDays(399).toMillis());
        redis.call(commands -> commands.keys("*").stream()
                .filter(key -> !key.equals(ban))
                .mapToLong(commands::del)
                .sum());
        try (WebServer two = Shop.start(redis.port(), zone)) {
            assertThat(Shop.get(two, 2, "a")).containsExactly(429, 429);
            assertThat(Shop.get(two, 1, "b")).containsExactly(200);
        }
    }

    @Test
    void strikeWhenInstancesTakeTurnsThenTheyCountTogetherAndOneTells() {
        try (RedisStore one = Stores.at(redis);
                RedisStore two = Stores.at(redis)) {
            RedisBans here = one.bans(new LocalBans(System::nanoTime));
            RedisBans there = two.bans(new LocalBans(System::nanoTime));
            strike(here);
            await().until(() -> there.standing("z", ALICE, PENALTY).strikes() == 1);
            strike(there);
            await().until(() -> imposed.size() == 1);
            assertThat(imposed.get(0).number()).isEqualTo(1);
            await().until(() -> here.find("z", ALICE) != null);
            strike(here);
            there.lift("z", ALICE);
            await().atMost(Duration.ofSeconds(1)).until(() -> here.find("z", ALICE) == null);
            assertThat(imposed).hasSize(1);
        }
    }

    @Test
    void findWhenNothingChangesThenRedisIsAskedOnce() {
        try (RedisStore one = Stores.at(redis)) {
            RedisBans here = one.bans(new LocalBans(System::nanoTime));
            await().until(() -> redis.calls("subscribe") > 0);
            here.find("z", ALICE);
            long before = redis.calls("evalsha");
            for (int i = 0; i < 1_000; i++) {
                here.find("z", ALICE);
            }
            assertThat(redis.calls("evalsha") - before).isLessThan(3);
        }
    }

    @Test
    void strikeWhenRedisIsAwayThenTheStandInBansAndWhatIsKnownHolds() {
        try (RedisStore one = Stores.at(redis.port(), Duration.ofMillis(200))) {
            RedisBans here = one.bans(new LocalBans(System::nanoTime));
            strike(here);
            strike(here);
            await().until(() -> here.find("z", ALICE) != null);
            redis.kill();
            RateLimitKey bob = RateLimitKey.ofText("bob");
            here.strike("z", bob, PENALTY, 10, imposed::add);
            here.strike("z", bob, PENALTY, 10, imposed::add);
            await().until(() -> here.find("z", bob) != null);
            assertThat(here.find("z", ALICE)).isNotNull();
        }
    }

    private void strike(RedisBans bans) {
        bans.strike("z", ALICE, PENALTY, 10, imposed::add);
    }

    private static boolean isBanned(WebServer shop) {
        return shop.get("/actuator/ratelimit/z/a").body().contains("\"banned\":true");
    }

    private static long millis(long count) {
        return Duration.ofMillis(count).toNanos();
    }

    private static long retryAfter(WebServer shop) {
        return retryAfter(shop, "a");
    }

    private static long retryAfter(WebServer shop, String key) {
        return Long.parseLong(
                shop.get("/api", "X-K", key).headers().firstValue("Retry-After").orElse("0"));
    }
}
