package io.github.ratelimit.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.ratelimit.fixture.RedisServer;
import io.github.ratelimit.fixture.WebServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A master and a replica that no sentinel watches over; {@code spring.data.redis.masterreplica.nodes}. */
class ReplicatedServersTests {

    private static final Duration RECOVERY = Duration.ofSeconds(5);

    private final RedisServer master = RedisServer.start();
    private final RedisServer replica = RedisServer.start("--replicaof", "127.0.0.1 " + master.port());

    @BeforeEach
    void awaitCopy() {
        await().until(() -> replica.call(redis -> redis.info("replication")).contains("master_link_status:up"));
    }

    @AfterEach
    void stop() {
        master.close();
        replica.close();
    }

    @Test
    void requestsWhenTheReplicaIsNamedFirstAndReadFromThenTheMasterDecides() {
        try (WebServer one = start("reject");
                WebServer two = start("reject")) {
            for (int i = 0; i < 10; i++) {
                assertThat(Shop.get(one, 2, "k" + i)).containsExactly(200, 200);
                assertThat(Shop.get(two, 2, "k" + i)).containsExactly(200, 429);
            }
            assertThat(master.calls("evalsha")).isGreaterThanOrEqualTo(40);
            assertThat(replica.calls("evalsha")).isZero();
            assertThat(one.get("/actuator/ratelimit").body()).contains("\"state\":\"UP\",\"failures\":0");
            // what gives back is heard of, too
            await().until(() -> master.calls("subscribe") >= 2);
        }
    }

    @Test
    void requestsWhenTheReplicaTakesTheMastersPlaceThenLimitsHoldThere() {
        try (WebServer shop = start("allow")) {
            assertThat(Shop.get(shop, 4, "a")).containsExactly(200, 200, 200, 429);

            master.kill();
            assertThat(Shop.get(shop, 10, "b")).containsOnly(200);
            replica.call(redis -> redis.replicaofNoOne());

            awaitShared(shop);
            // what was drawn before went along
            assertThat(Shop.get(shop, 1, "a")).containsExactly(429);
            assertThat(Shop.get(shop, 4, "c")).containsExactly(200, 200, 200, 429);
        }
    }

    @Test
    void requestsWhenTheServersChangeRolesAndBothLiveThenLimitsHoldAtTheNewMaster() {
        try (WebServer shop = start("allow")) {
            assertThat(Shop.get(shop, 4, "a")).containsExactly(200, 200, 200, 429);

            replica.call(redis -> redis.replicaofNoOne());
            master.call(redis -> redis.replicaof("127.0.0.1", replica.port()));

            await().atMost(RECOVERY).until(() -> {
                Shop.get(shop, 1, "x" + System.nanoTime());
                return replica.calls("evalsha") > 0;
            });
            awaitShared(shop);
            assertThat(Shop.get(shop, 4, "c")).containsExactly(200, 200, 200, 429);
        }
    }

    @Test
    void requestsWhenAUserMayDoOnlyWhatIsNeededThenLimitsHold() {
        TopologyTests.admit(master, TopologyTests.RULES + " +role");
        TopologyTests.admit(replica, TopologyTests.RULES + " +role");
        try (WebServer shop = start("reject", "spring.data.redis.username: shop\nspring.data.redis.password: secret")) {
            assertThat(Shop.get(shop, 4, "a")).containsExactly(200, 200, 200, 429);
        }
    }

    private static void awaitShared(WebServer shop) {
        await().atMost(RECOVERY)
                .until(() -> shop.get("/actuator/ratelimit").body().contains("\"state\":\"UP\""));
    }

    private WebServer start(String onFailure, String... more) {
        return WebServer.start(
                WebServer.WITHOUT_SECURITY
                        + """
                spring.application.name: shop
                spring.data.redis:
                  masterreplica.nodes: "127.0.0.1:%d,127.0.0.1:%d"
                  lettuce.read-from: replica
                management.endpoints.web.exposure.include: "*"
                logging.level.io.lettuce: error
                ratelimit:
                  zones: {z: {key: 'header:X-K', rate: 3/h, store: redis, on-store-failure: %s}}
                  rules: [{path: /api, zones: [z]}]
                %s
                """.formatted(replica.port(), master.port(), onFailure, String.join("\n", more)),
                Shop.Api.class);
    }
}
