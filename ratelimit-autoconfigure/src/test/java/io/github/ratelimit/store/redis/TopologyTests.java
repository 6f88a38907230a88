package io.github.ratelimit.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.ratelimit.fixture.RedisCluster;
import io.github.ratelimit.fixture.RedisServer;
import io.github.ratelimit.fixture.WebServer;
import io.github.ratelimit.store.ChangeStore;
import io.github.ratelimit.store.ZoneChange;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The limits hold on whatever {@code spring.data.redis.*} describes. */
class TopologyTests {

    /** Within which limits hold again, once there is a master again. */
    private static final Duration RECOVERY = Duration.ofSeconds(5);

    private static final String LIMIT = "key: 'header:X-K', rate: 3/h, store: redis, on-store-failure: ";

    /** All that a user of Redis needs to be allowed, besides what every connection sends. */
    static final String RULES = "~ratelimit:* &ratelimit:* +evalsha +eval +time +mget +set +del +publish"
            + " +subscribe +zadd +zcard +zcount +zrem +zremrangebyscore +pexpire"
            + " +hset +hsetnx +hgetall +pttl";

    @Test
    void requestsWhenRedisIsAClusterThenEachKeyHasItsLimitAndShardsDiffer() {
        try (RedisCluster cluster = RedisCluster.start();
                WebServer shop = start("cluster.nodes: '" + cluster.addresses() + "'", LIMIT + "reject")) {
            for (int i = 0; i < 20; i++) {
                assertThat(Shop.get(shop, 4, "client {" + i + "} ü")).containsExactly(200, 200, 200, 429);
            }
            Set<Integer> used = new HashSet<>();
            for (RedisServer node : cluster.nodes()) {
                if (node.keys("ratelimit:*").stream().anyMatch(key -> key.contains("{d:"))) {
                    used.add(node.port());
                }
            }
            assertThat(used).hasSize(3);
            ChangeStore changes = shop.bean(ChangeStore.class);
            changes.put("z", new ZoneChange("5/h", null, null, null, null));
            assertThat(changes.changes()).containsOnlyKeys("z");
            assertThat(shop.get("/actuator/ratelimit").body()).contains("\"failures\":0");
        }
    }

    @Test
    void requestsWhenZonesLieInTwoShardsThenTheyAreDrawnAllOrNone() {
        try (RedisCluster cluster = RedisCluster.start();
                WebServer shop = WebServer.start(
                        WebServer.WITHOUT_SECURITY + """
                        spring.application.name: shop
                        spring.data.redis.cluster.nodes: "%s"
                        management.endpoints.web.exposure.include: "*"
                        ratelimit.zones:
                          all: {key: global, rate: 1000/h, store: redis, on-store-failure: reject}
                          each: {key: "header:X-K", rate: 2/h, store: redis, on-store-failure: reject}
                        ratelimit.rules: [{path: /api, zones: [all, each]}]
                        """.formatted(cluster.addresses()), Shop.Api.class)) {
            for (String key : List.of("a", "b", "c", "d", "e")) {
                assertThat(Shop.get(shop, 5, key)).containsExactly(200, 200, 429, 429, 429);
            }
            // what the refused requests drew on the other shard is given back
            await().untilAsserted(() -> assertThat(
                            shop.get("/actuator/ratelimit/all/global").body())
                    .contains("\"remaining\":990"));
        }
    }

    @Test
    void requestsWhenAMasterIsLostThenTheModeHoldsUntilItIsBack() {
        try (RedisCluster cluster = RedisCluster.start();
                WebServer shop = start("cluster.nodes: '" + cluster.addresses() + "'", LIMIT + "allow")) {
            Shop.get(shop, 1, "a");
            RedisServer lost = cluster.nodes().get(1);
            lost.kill();
            for (int i = 0; i < 60; i++) {
                long start = System.nanoTime();
                assertThat(Shop.get(shop, 1, "k" + i)).containsExactly(200);
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(500));
            }
            // with its configuration kept, as a node that is started again has it
            lost.restart();
            cluster.awaitServing();
            awaitLimits(shop);
        }
    }

    @Test
    void requestsWhenAReplicaTakesTheMastersPlaceThenLimitsHoldThere() {
        try (RedisCluster cluster = RedisCluster.start()) {
            RedisServer master = cluster.nodes().get(1);
            RedisServer replica = cluster.addReplica(master);
            try (WebServer shop = start("cluster.nodes: '" + cluster.addresses() + "'", LIMIT + "allow")) {
                Shop.get(shop, 1, "a");
                master.kill();
                await().atMost(Duration.ofSeconds(20)).until(() -> isMaster(replica));
                awaitLimits(shop);
                assertThat(replica.keys("ratelimit:*{d:*")).isNotEmpty();
            }
        }
    }

    @Test
    void requestsWhenSentinelsChooseAnotherMasterThenLimitsHoldThere(@TempDir Path directory) throws IOException {
        try (RedisServer master = RedisServer.start();
                RedisServer replica = RedisServer.start("--replicaof", "127.0.0.1 " + master.port())) {
            int port = RedisServer.freePort();
            Path file = Files.writeString(
                    directory.resolve("sentinel.conf"), """
                    port %d
                    bind 127.0.0.1
                    dir %s
                    sentinel monitor shop 127.0.0.1 %d 1
                    sentinel down-after-milliseconds shop 500
                    sentinel failover-timeout shop 2000
                    """.formatted(port, directory, master.port()));
            try (RedisServer sentinel = RedisServer.sentinel(port, file);
                    WebServer shop =
                            start("sentinel: {master: shop, nodes: '127.0.0.1:" + port + "'}", LIMIT + "allow")) {
                assertThat(Shop.get(shop, 4, "a")).containsExactly(200, 200, 200, 429);

                master.kill();
                await().atMost(Duration.ofSeconds(20)).until(() -> isMaster(replica));
                await().atMost(RECOVERY)
                        .until(() -> shop.get("/actuator/ratelimit").body().contains("\"state\":\"UP\""));
                assertThat(Shop.get(shop, 4, "b")).containsExactly(200, 200, 200, 429);
                assertThat(sentinel.port()).isEqualTo(port);
            }
        }
    }

    @Test
    void requestsWhenAUserMayDoOnlyWhatIsNeededThenLimitsHold() {
        try (RedisServer redis = RedisServer.start()) {
            admit(redis, RULES);
            try (WebServer shop = start(
                    "host: 127.0.0.1\n  port: " + redis.port() + "\n  username: shop\n  password: secret",
                    LIMIT + "reject")) {
                assertThat(Shop.get(shop, 4, "a")).containsExactly(200, 200, 200, 429);
                assertThat(shop.get("/actuator/ratelimit").body()).contains("\"failures\":0");
                await().until(() -> redis.call(commands -> commands.pubsubNumsub("ratelimit:shop:{refunds}")
                                .get("ratelimit:shop:{refunds}"))
                        == 1);
                ChangeStore changes = shop.bean(ChangeStore.class);
                changes.put("z", new ZoneChange("5/h", null, null, null, null));
                assertThat(changes.changes()).containsOnlyKeys("z");
            }
            try (WebServer shop = start(
                    "host: 127.0.0.1\n  port: " + redis.port() + "\n  username: shop\n  password: wrong",
                    LIMIT + "reject")) {
                assertThat(Shop.get(shop, 1, "a")).containsExactly(503);
            }
        }
    }

    @Test
    void requestsWhenRedisIsEncryptedThenLimitsHold(@TempDir Path directory) throws Exception {
        certify(directory);
        int port = RedisServer.freePort();
        try (RedisServer redis = RedisServer.startSilent(encrypted(directory, port));
                WebServer shop = start(
                        "host: 127.0.0.1\n  port: " + port + "\n  ssl: {enabled: true, bundle: redis}",
                        LIMIT + "reject",
                        bundle(directory))) {
            // a first handshake may take longer than a decision may
            await().until(() -> Shop.get(shop, 1, "first").get(0) == 200);
            assertThat(Shop.get(shop, 4, "a")).containsExactly(200, 200, 200, 429);
            assertThat(redis.port()).isNotEqualTo(port);
        }
    }

    @Test
    void requestsWhenSentinelsAreEncryptedAndWantTheirOwnCredentialsThenTheMasterIsFound(@TempDir Path directory)
            throws Exception {
        certify(directory);
        int port = RedisServer.freePort();
        int plain = RedisServer.freePort();
        int tls = RedisServer.freePort();
        try (RedisServer redis = RedisServer.startSilent(encrypted(directory, port))) {
            Path file = Files.writeString(directory.resolve("sentinel.conf"), """
                    port %d
                    bind 127.0.0.1
                    dir %s
                    tls-port %d
                    tls-cert-file %s/cert.pem
                    tls-key-file %s/key.pem
                    tls-ca-cert-file %s/cert.pem
                    tls-auth-clients no
                    tls-replication yes
                    user watcher on >other ~* &* +@all
                    sentinel monitor shop 127.0.0.1 %d 1
                    """.formatted(
                            plain, directory, tls, directory, directory, directory, port));
            String address = """
                    sentinel: {master: shop, nodes: '127.0.0.1:%d', username: watcher, password: %s}
                      client-name: cart
                      ssl: {enabled: true, bundle: redis}""";
            try (RedisServer sentinel = RedisServer.sentinel(plain, file);
                    WebServer shop = start(address.formatted(tls, "other"), LIMIT + "reject", bundle(directory));
                    WebServer stranger = start(address.formatted(tls, "wrong"), LIMIT + "reject", bundle(directory))) {
                await().until(() -> Shop.get(shop, 1, "first").get(0) == 200);
                assertThat(Shop.get(shop, 4, "a")).containsExactly(200, 200, 200, 429);
                assertThat(Shop.get(stranger, 1, "a")).containsExactly(503);
                assertThat(redis.<String>call(commands -> commands.clientList()))
                        .contains("name=cart");
                assertThat(sentinel.port()).isEqualTo(plain);
            }
        }
    }

    /** Makes a key and a certificate of it. */
    private static void certify(Path directory) throws Exception {
        Path store = directory.resolve("redis.p12");
        run(
                "keytool",
                "-genkeypair",
                "-alias",
                "redis",
                "-keyalg",
                "RSA",
                "-dname",
                "CN=localhost",
                "-ext",
                "SAN=ip:127.0.0.1,dns:localhost",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                "secret",
                "-validity",
                "30");
        run(
                "openssl",
                "pkcs12",
                "-in",
                store.toString(),
                "-passin",
                "pass:secret",
                "-nodes",
                "-nocerts",
                "-out",
                directory.resolve("key.pem").toString());
        run(
                "openssl",
                "pkcs12",
                "-in",
                store.toString(),
                "-passin",
                "pass:secret",
                "-nokeys",
                "-out",
                directory.resolve("cert.pem").toString());
    }

    private static String[] encrypted(Path directory, int port) {
        return new String[] {
            "--tls-port", Integer.toString(port),
            "--tls-cert-file", directory.resolve("cert.pem").toString(),
            "--tls-key-file", directory.resolve("key.pem").toString(),
            "--tls-ca-cert-file", directory.resolve("cert.pem").toString(),
            "--tls-auth-clients", "no"
        };
    }

    private static String bundle(Path directory) {
        return "spring.ssl.bundle.pem.redis.truststore.certificate: 'file:" + directory.resolve("cert.pem") + "'";
    }

    /** Lets a server know the user shop. */
    static void admit(RedisServer redis, String rules) {
        redis.call(commands -> commands.dispatch(
                CommandType.ACL,
                new StatusOutput<>(StringCodec.UTF8),
                new CommandArgs<>(StringCodec.UTF8)
                        .add("SETUSER")
                        .add("shop")
                        .add("on")
                        .add(">secret")
                        .addValues(List.of(rules.split(" ")))));
    }

    private static boolean isMaster(RedisServer server) {
        return server.call(redis -> redis.info("replication")).contains("role:master");
    }

    /** Waits until every limit holds, in whichever shard. */
    private static void awaitLimits(WebServer shop) {
        await().atMost(RECOVERY).untilAsserted(() -> {
            String key = "fresh" + System.nanoTime();
            List<Integer> statuses = new ArrayList<>();
            for (int i = 0; i < 9; i++) {
                statuses.addAll(Shop.get(shop, 4, key + i));
            }
            assertThat(statuses.stream().filter(status -> status == 429)).hasSize(9);
        });
    }

    private static void run(String... command) throws Exception {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(process.waitFor()).as(String.join(" ", command)).isZero();
    }

    private static WebServer start(String redis, String zone, String... more) {
        return WebServer.start(
                WebServer.WITHOUT_SECURITY + """
                spring.application.name: shop
                spring.data.redis:
                  %s
                management.endpoints.web.exposure.include: "*"
                logging.level.io.lettuce: error
                ratelimit:
                  zones: {z: {%s}}
                  rules: [{path: /api, zones: [z]}]
                %s
                """.formatted(redis, zone, String.join("\n", more)), Shop.Api.class);
    }
}
