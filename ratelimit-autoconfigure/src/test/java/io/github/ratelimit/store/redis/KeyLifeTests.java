package io.github.ratelimit.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.FixedWindow;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.algorithm.TokenBucket;
import io.github.ratelimit.fixture.ForkedServer;
import io.github.ratelimit.fixture.RedisServer;
import io.github.ratelimit.fixture.WebServer;
import io.github.ratelimit.key.RateLimitKey;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whatever an application writes, and however it ends, Redis forgets in time. */
class KeyLifeTests {

    private static final String PREFIX = "ratelimit:shop:*";
    /** Redis answers some milliseconds after it has set a life. */
    private static final long MARGIN_MILLIS = 100;

    private static final Duration AFTERWARDS = Duration.ofSeconds(15);

    private final RedisServer redis = RedisServer.start();

    @AfterEach
    void stop() {
        redis.close();
    }

    @Test
    void requestsWhenTheApplicationIsKilledThreeTimesUnderLoadThenNoKeyLivesForEver() throws Exception {
        String yaml = WebServer.WITHOUT_SECURITY + """
                spring.application.name: shop
                spring.data.redis: {host: 127.0.0.1, port: %d}
                ratelimit:
                  zones:
                    bucket: {key: 'header:X-K', rate: 3/5s, store: redis}
                    queue: {key: 'header:X-K', algorithm: leaky-bucket, rate: 1/s, burst: 3, delay-after: never, store: redis}
                    fixed: {key: 'header:X-K', algorithm: fixed-window, rate: 3/5s, store: redis}
                    sliding: {key: 'header:X-K', algorithm: sliding-window, rate: 3/5s, store: redis}
                    slots: {key: 'header:X-K', algorithm: concurrency, max-concurrent: 3, store: redis}
                    banned: {key: 'header:X-K', rate: 2/5s, store: redis, penalty: {after: 2, within: 5s, ban: 1s, max-ban: 4s}}
                  rules: [{path: /api, zones: [bucket, queue, fixed, sliding, slots, banned]}]
                """.formatted(redis.port());
        AtomicInteger served = new AtomicInteger();
        AtomicInteger cut = new AtomicInteger();
        ExecutorService clients = Executors.newFixedThreadPool(4);
        try (ForkedServer shop = ForkedServer.start(yaml, Shop.Api.class)) {
            List<Future<?>> loads = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Random random = new Random(i);
                loads.add(clients.submit(() -> request(shop, random, served, cut)));
            }
            for (int kills = 1; kills <= 3; kills++) {
                int enough = 500 * kills;
                await().atMost(Duration.ofMinutes(1)).until(() -> served.get() >= enough);
                shop.kill();
                shop.restart();
            }
            for (Future<?> load : loads) {
                load.get(1, TimeUnit.MINUTES);
            }
            Map<String, Long> lives = lives();
            assertThat(served.get()).isGreaterThanOrEqualTo(2_000);
            assertThat(cut.get()).isPositive();
            assertThat(lives.keySet())
                    .as("of every kind")
                    .anyMatch(key -> key.endsWith("}:bucket"))
                    .anyMatch(key -> key.endsWith("}:queue"))
                    .anyMatch(key -> key.endsWith("}#fixed"))
                    .anyMatch(key -> key.endsWith("}~sliding"))
                    .anyMatch(key -> key.endsWith("}!slots"))
                    .anyMatch(key -> key.endsWith("}^banned"));
            assertThat(lives)
                    .allSatisfy((key, life) -> assertThat(life)
                            .isPositive()
                            .isLessThanOrEqualTo((key.contains("}!") ? 30_000 : 10_000) + MARGIN_MILLIS));
        } finally {
            clients.shutdownNow();
        }
        // what a killed application was busy with holds its slot for thirty seconds, everything else ten
        await().atMost(AFTERWARDS.plusSeconds(10))
                .until(() -> lives().keySet().stream().allMatch(key -> key.contains("}!")));
        await().atMost(AFTERWARDS.plusSeconds(30)).until(() -> lives().isEmpty());
    }

    private static boolean request(ForkedServer shop, Random random, AtomicInteger served, AtomicInteger cut)
            throws InterruptedException {
        while (served.get() < 2_000) {
            try {
                HttpResponse<String> answer = shop.get("/api", "X-K", "k" + random.nextInt(500));
                assertThat(answer.statusCode()).isIn(200, 429);
                served.incrementAndGet();
            } catch (IOException e) {
                cut.incrementAndGet();
                // nobody listens while it starts
                TimeUnit.MILLISECONDS.sleep(20);
            }
        }
        return true;
    }

    @Test
    void requestsWhenTwoWindowsCountThenKeysLiveNoLongerAndHalfAStateIsAnOrdinaryOne() {
        try (WebServer shop =
                WebServer.start(WebServer.WITHOUT_SECURITY + """
                spring.application.name: shop
                spring.data.redis: {host: 127.0.0.1, port: %d}
                ratelimit:
                  zones:
                    short: {key: 'header:X-K', rate: 5/1s, store: redis}
                    long: {key: 'header:X-K', algorithm: fixed-window, rate: 20/10s, store: redis}
                  rules: [{path: /api, zones: [short, long]}]
                """.formatted(redis.port()), Shop.Api.class)) {
            for (int i = 0; i < 10_000; i += 100) {
                assertThat(together(shop, "once", i, 100)).containsOnly(200);
            }
            assertLives();

            List<Integer> hammered = new ArrayList<>();
            long end = System.nanoTime() + Duration.ofSeconds(5).toNanos();
            while (System.nanoTime() - end < 0) {
                hammered.addAll(together(shop, "often", 0, 100));
                hammered.addAll(together(shop, "often", 0, 100));
            }
            assertThat(hammered).containsOnly(200, 429).contains(429);
            assertThat(hammered.stream().filter(status -> status == 200).count())
                    .isLessThanOrEqualTo(100 * 20);
            assertLives();

            String brief = named("short", "often0", TokenBucket.of(Rate.parse("5/1s"), 5));
            redis.call(commands -> commands.del(brief));
            assertOrdinary(shop.get("/api", "X-K", "often0"));
            String lasting = named("long", "often0", FixedWindow.of(Rate.parse("20/10s")));
            assertThat(redis.<Long>call(commands -> commands.del(lasting))).isOne();
            assertOrdinary(shop.get("/api", "X-K", "often0"));
            // nothing but Redis knows of what was admitted
            assertThat(Shop.get(shop, 5, "half")).containsOnly(200);
            String half = named("long", "half", FixedWindow.of(Rate.parse("20/10s")));
            assertThat(redis.<Long>call(commands -> commands.del(half))).isOne();
            assertOrdinary(shop.get("/api", "X-K", "half"));
            assertLives();
            await().atMost(AFTERWARDS).until(() -> lives().isEmpty());
        }
    }

    private static String named(String zone, String header, Algorithm algorithm) {
        RedisKey key = new RedisKeys("ratelimit:shop:").of(zone, RateLimitKey.ofSecret(header), algorithm);
        return new String(key.bytes(), StandardCharsets.UTF_8);
    }

    private static void assertOrdinary(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).isIn(200, 429);
        if (answer.statusCode() == 429) {
            assertThat(Integer.parseInt(
                            answer.headers().firstValue("Retry-After").orElseThrow()))
                    .isBetween(1, 10);
        }
    }

    private static List<Integer> together(WebServer shop, String name, int from, int count) {
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = from; i < from + count; i++) {
            answers.add(shop.getLater("/api", "X-K", name + i));
        }
        return answers.stream().map(answer -> answer.join().statusCode()).toList();
    }

    private void assertLives() {
        assertThat(lives())
                .isNotEmpty()
                .allSatisfy((key, life) -> assertThat(life)
                        .isPositive()
                        .isLessThanOrEqualTo((key.endsWith("short") ? 1_000 : 10_000) + MARGIN_MILLIS));
    }

    /** The keys of the application and the milliseconds that each lives on; -1 is for ever. */
    private Map<String, Long> lives() {
        return redis.call(commands -> {
            Map<String, Long> lives = new LinkedHashMap<>();
            for (String key : commands.keys(PREFIX)) {
                long life = commands.pttl(key);
                // unless it has gone between the two commands, or is about to
                if (life != -2 && life != 0) {
                    lives.put(key, life);
                }
            }
            return lives;
        });
    }
}
