package io.github.ratelimit.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.store.redis.ConnectionSettings.Topology;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.protocol.ProtocolVersion;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.json.JSONArray;
import org.json.JSONException;
import org.json.JSONObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientOptionsBuilderCustomizer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;
import reactor.core.publisher.Mono;

/** What becomes of {@code spring.data.redis.*}. */
class ConnectionSettingsTests {

    /** What is taken over; each has its test here or in {@link TopologyTests}. */
    private static final Set<String> HONOURED = Set.of(
            "client-name",
            "cluster.max-redirects",
            "cluster.nodes",
            "database",
            "host",
            "lettuce.cluster.refresh.dynamic-refresh-sources",
            "lettuce.cluster.refresh.period",
            "masterreplica.nodes",
            "password",
            "port",
            "sentinel.master",
            "sentinel.nodes",
            "sentinel.password",
            "sentinel.username",
            "ssl.bundle",
            "ssl.enabled",
            "url",
            "username");

    /** What is refused at start-up unless it says what we need. */
    private static final Set<String> REFUSED = Set.of("client-type");

    /** What is about connections other than ours: we have one of our own, never wait for it, and never read a replica. */
    private static final Set<String> FOREIGN = Set.of(
            "connect-timeout",
            "timeout",
            "jedis.pool.enabled",
            "jedis.pool.max-active",
            "jedis.pool.max-idle",
            "jedis.pool.max-wait",
            "jedis.pool.min-idle",
            "jedis.pool.time-between-eviction-runs",
            "lettuce.pool.enabled",
            "lettuce.pool.max-active",
            "lettuce.pool.max-idle",
            "lettuce.pool.max-wait",
            "lettuce.pool.min-idle",
            "lettuce.pool.time-between-eviction-runs",
            "lettuce.cluster.refresh.adaptive",
            "lettuce.read-from",
            "lettuce.shutdown-timeout",
            "listener.auto-startup",
            "listener.recovery.delay",
            "listener.recovery.jitter",
            "listener.recovery.max-delay",
            "listener.recovery.max-retries",
            "listener.recovery.multiplier",
            "listener.subscription-registration-timeout",
            "repositories.enabled");

    private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, DataRedisAutoConfiguration.class));

    @Test
    void settingsWhenBootKnowsAPropertyThenItIsKnownWhatBecomesOfIt() throws IOException, JSONException {
        Set<String> known = new TreeSet<>(HONOURED);
        known.addAll(REFUSED);
        known.addAll(FOREIGN);
        // the group's own former name
        known.add("ssl");
        assertThat(propertiesOfBoot()).isEqualTo(known);
    }

    @Test
    void ofWhenAServerIsNamedThenItIsUsedWithAllThatIsSaidOfIt() {
        with(
                settings -> {
                    assertThat(settings.topology()).isEqualTo(Topology.SERVER);
                    assertThat(settings.servers()).singleElement().satisfies(server -> {
                        assertThat(server.getHost()).isEqualTo("redis.internal");
                        assertThat(server.getPort()).isEqualTo(7000);
                        assertThat(server.getDatabase()).isEqualTo(5);
                        assertThat(server.getClientName()).isEqualTo("cart");
                        assertThat(server.isSsl()).isFalse();
                        assertCredentials(server, "shop", "secret");
                    });
                },
                "host=redis.internal",
                "port=7000",
                "database=5",
                "client-name=cart",
                "username=shop",
                "password=secret");
    }

    @ParameterizedTest
    @CsvSource({"redis, false", "rediss, true"})
    void ofWhenAUrlIsGivenThenAllOfItIsUsed(String scheme, boolean encrypted) {
        with(
                settings -> assertThat(settings.servers()).singleElement().satisfies(server -> {
                    assertThat(server.getHost()).isEqualTo("redis.internal");
                    assertThat(server.getPort()).isEqualTo(7000);
                    assertThat(server.getDatabase()).isEqualTo(5);
                    assertThat(server.isSsl()).isEqualTo(encrypted);
                    assertCredentials(server, "shop", "secret");
                }),
                "url=" + scheme + "://shop:secret@redis.internal:7000/5",
                // a URL says it all
                "host=elsewhere",
                "database=1");
    }

    @Test
    void ofWhenOurDatabaseIsGivenThenItIsUsedInstead() {
        assertOurDatabaseIsUsed("spring.data.redis.database=5");
        // where Boot itself knows of none
        assertOurDatabaseIsUsed("spring.data.redis.masterreplica.nodes=a:7000");
    }

    private void assertOurDatabaseIsUsed(String property) {
        contextRunner
                .withPropertyValues(property)
                .run(context -> assertThat(ConnectionSettings.of(context.getBean(LettuceConnectionFactory.class), 2)
                                .servers())
                        .singleElement()
                        .extracting(RedisURI::getDatabase)
                        .isEqualTo(2));
    }

    @Test
    void ofWhenThereAreSentinelsThenTheyAreSpokenToAsTheServersAre() {
        with(
                settings -> {
                    assertThat(settings.topology()).isEqualTo(Topology.SERVER);
                    RedisURI master = settings.servers().get(0);
                    assertThat(master.getSentinelMasterId()).isEqualTo("shop");
                    assertThat(master.getDatabase()).isEqualTo(5);
                    assertCredentials(master, "shop", "secret");
                    assertThat(master.getSentinels()).hasSize(2).allSatisfy(sentinel -> {
                        assertCredentials(sentinel, "watcher", "other");
                        assertThat(sentinel.getTimeout()).isEqualTo(ConnectionSettings.PATIENCE);
                    });
                    master.getSentinels().forEach(ConnectionSettingsTests::assertEncrypted);
                    assertEncrypted(master);
                },
                "sentinel.master=shop",
                "sentinel.nodes=a:26379,b:26380",
                "sentinel.username=watcher",
                "sentinel.password=other",
                "username=shop",
                "password=secret",
                "database=5",
                "client-name=cart",
                "ssl.enabled=true");
    }

    @Test
    void ofWhenAnApplicationProvidesCredentialsThenSentinelsAreGivenTheirs() {
        RedisCredentialsProviderFactory providers = new RedisCredentialsProviderFactory() {
            @Override
            public RedisCredentialsProvider createCredentialsProvider(RedisConfiguration configuration) {
                return () -> Mono.just(RedisCredentials.just("shop", "secret"));
            }

            @Override
            public RedisCredentialsProvider createSentinelCredentialsProvider(
                    RedisSentinelConfiguration configuration) {
                return () -> Mono.just(RedisCredentials.just("watcher", "other"));
            }
        };
        LettuceConnectionFactory factory = new LettuceConnectionFactory(
                new RedisSentinelConfiguration().master("shop").sentinel("a", 26379),
                LettuceClientConfiguration.builder()
                        .redisCredentialsProviderFactory(providers)
                        .build());

        RedisURI master = ConnectionSettings.of(factory, null).servers().get(0);

        assertCredentials(master, "shop", "secret");
        assertThat(master.getSentinels())
                .singleElement()
                .satisfies(sentinel -> assertCredentials(sentinel, "watcher", "other"));
    }

    @Test
    void ofWhenThereIsAClusterThenEachNodeIsSpokenToInTheSameWay() {
        with(
                settings -> {
                    assertThat(settings.topology()).isEqualTo(Topology.CLUSTER);
                    assertThat(settings.servers()).extracting(RedisURI::getHost).containsExactlyInAnyOrder("a", "b");
                    settings.servers().forEach(node -> {
                        assertCredentials(node, "shop", "secret");
                        assertEncrypted(node);
                    });
                    assertThat(clusterOptions(settings).getMaxRedirects()).isEqualTo(2);
                },
                "cluster.nodes=a:7000,b:7001",
                "cluster.max-redirects=2",
                "username=shop",
                "password=secret",
                "client-name=cart",
                "ssl.enabled=true");
    }

    @ParameterizedTest
    @CsvSource({"500ms, 500", "60s, 2000"})
    void ofWhenAClusterIsAskedForItsNodesThenAsOftenAsWrittenAndOftenEnough(String written, long millis) {
        with(
                settings -> {
                    var refresh = clusterOptions(settings).getTopologyRefreshOptions();
                    assertThat(refresh.isPeriodicRefreshEnabled()).isTrue();
                    assertThat(refresh.getRefreshPeriod()).isEqualTo(Duration.ofMillis(millis));
                    assertThat(refresh.useDynamicRefreshSources()).isFalse();
                    assertThat(refresh.getAdaptiveRefreshTriggers()).isNotEmpty();
                },
                "cluster.nodes=a:7000",
                "lettuce.cluster.refresh.period=" + written,
                "lettuce.cluster.refresh.dynamic-refresh-sources=false");
    }

    @Test
    void ofWhenAMasterAndReplicasAreNamedThenTheyAreUsedAndNotTheHostThatTheFactoryNames() {
        with(
                settings -> {
                    assertThat(settings.topology()).isEqualTo(Topology.REPLICATED);
                    assertThat(settings.servers()).extracting(RedisURI::getHost).containsExactly("a", "b");
                    settings.servers().forEach(node -> {
                        assertCredentials(node, "shop", "secret");
                        assertEncrypted(node);
                    });
                },
                "masterreplica.nodes=a:7000,b:7001",
                "username=shop",
                "password=secret",
                "client-name=cart",
                "ssl.enabled=true");
    }

    @Test
    void ofWhenASocketIsNamedThenItIsUsed() {
        LettuceConnectionFactory factory =
                new LettuceConnectionFactory(new RedisSocketConfiguration("/run/redis.sock"));

        assertThat(ConnectionSettings.of(factory, 3).servers()).singleElement().satisfies(server -> {
            assertThat(server.getSocket()).isEqualTo("/run/redis.sock");
            assertThat(server.getDatabase()).isEqualTo(3);
        });
    }

    @Test
    void ofWhenAnApplicationHasItsOwnOptionsThenTheyHoldExceptWhereWeWait() {
        contextRunner
                .withBean(
                        LettuceClientOptionsBuilderCustomizer.class,
                        () -> options -> options.protocolVersion(ProtocolVersion.RESP2)
                                .autoReconnect(true)
                                .disconnectedBehavior(DisconnectedBehavior.ACCEPT_COMMANDS))
                .withPropertyValues("spring.data.redis.connect-timeout=20s", "spring.data.redis.timeout=30s")
                .run(context -> {
                    ConnectionSettings settings =
                            ConnectionSettings.of(context.getBean(LettuceConnectionFactory.class), null);
                    assertThat(settings.options().getProtocolVersion()).isEqualTo(ProtocolVersion.RESP2);
                    assertThat(settings.options().isAutoReconnect()).isFalse();
                    assertThat(settings.options().getDisconnectedBehavior())
                            .isEqualTo(DisconnectedBehavior.REJECT_COMMANDS);
                    assertThat(settings.options().getSocketOptions().getConnectTimeout())
                            .isEqualTo(ConnectionSettings.PATIENCE);
                    assertThat(settings.servers().get(0).getTimeout()).isEqualTo(ConnectionSettings.PATIENCE);
                });
    }

    private void with(Consumer<ConnectionSettings> check, String... properties) {
        String[] full = new String[properties.length];
        for (int i = 0; i < full.length; i++) {
            full[i] = "spring.data.redis." + properties[i];
        }
        contextRunner
                .withPropertyValues(full)
                .run(context ->
                        check.accept(ConnectionSettings.of(context.getBean(LettuceConnectionFactory.class), null)));
    }

    private static ClusterClientOptions clusterOptions(ConnectionSettings settings) {
        return (ClusterClientOptions) settings.options();
    }

    private static void assertCredentials(RedisURI server, String username, String password) {
        RedisCredentials credentials = Objects.requireNonNull(
                server.getCredentialsProvider().resolveCredentials().block());
        assertThat(credentials.getUsername()).isEqualTo(username);
        assertThat(new String(Objects.requireNonNull(credentials.getPassword())))
                .isEqualTo(password);
    }

    private static void assertEncrypted(RedisURI server) {
        assertThat(server.isSsl()).isTrue();
        assertThat(server.getVerifyMode()).isEqualTo(SslVerifyMode.FULL);
        assertThat(server.getClientName()).isEqualTo("cart");
    }

    /** All that Boot reads, from what it says of itself. */
    private static Set<String> propertiesOfBoot() throws IOException, JSONException {
        Set<String> names = new TreeSet<>();
        String prefix = "spring.data.redis.";
        for (URL url : Collections.list(DataRedisProperties.class
                .getClassLoader()
                .getResources("META-INF/spring-configuration-metadata.json"))) {
            try (InputStream in = url.openStream()) {
                JSONArray properties = new JSONObject(new String(in.readAllBytes(), StandardCharsets.UTF_8))
                        .getJSONArray("properties");
                for (int i = 0; i < properties.length(); i++) {
                    String name = properties.getJSONObject(i).getString("name");
                    if (name.startsWith(prefix)) {
                        names.add(name.substring(prefix.length()));
                    }
                }
            }
        }
        return names;
    }
}
