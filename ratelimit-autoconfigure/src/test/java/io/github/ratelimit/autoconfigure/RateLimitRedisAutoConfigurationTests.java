package io.github.ratelimit.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.fixture.RedisServer;
import io.github.ratelimit.policy.InvalidPolicyException;
import io.github.ratelimit.store.redis.RedisStore;
import io.lettuce.core.RedisClient;
import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.resource.MappingSocketAddressResolver;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.ClientResourcesBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.server.servlet.context.AnnotationConfigServletWebServerApplicationContext;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.serializer.RedisSerializer;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@ExtendWith(OutputCaptureExtension.class)
class RateLimitRedisAutoConfigurationTests {

    private static final RedisServer REDIS = RedisServer.start();
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    /** Begins the warning of settings that have no effect. */
    private static final String IDLE = "every zone is local, and changes of them stay in this instance";

    private static final String SHARED = "ratelimit.zones.z.store=redis";

    private final WebApplicationContextRunner contextRunner = new WebApplicationContextRunner(
                    AnnotationConfigServletWebServerApplicationContext::new)
            .withConfiguration(AutoConfigurations.of(
                    RateLimitAutoConfiguration.class,
                    RateLimitRedisAutoConfiguration.class,
                    DataRedisAutoConfiguration.class,
                    TomcatServletWebServerAutoConfiguration.class,
                    DispatcherServletAutoConfiguration.class,
                    WebMvcAutoConfiguration.class))
            .withUserConfiguration(Shop.class)
            .withPropertyValues(
                    "server.port=0",
                    "spring.data.redis.port=" + REDIS.port(),
                    "ratelimit.zones.z.key=global",
                    "ratelimit.zones.z.rate=3/h",
                    "ratelimit.rules[0].path=/a",
                    "ratelimit.rules[0].zones=z");

    @AfterAll
    static void stop() {
        REDIS.close();
    }

    @ParameterizedTest
    @ValueSource(classes = {LettuceConnectionFactory.class, RedisClient.class})
    void applicationWhenTheLibrariesAreAbsentThenLocalZonesWork(Class<?> absent) {
        contextRunner.withClassLoader(new FilteredClassLoader(absent)).run(context -> {
            assertThat(context).hasNotFailed().doesNotHaveBean(RedisStore.class);
            assertThat(statuses(context)).containsExactly(200, 200, 200, 429);
        });
    }

    @Test
    void applicationWhenNothingIsSharedThenRedisIsNotConnectedTo() {
        contextRunner.withPropertyValues("spring.data.redis.port=1").run(context -> {
            assertThat(context.getBean(RedisStore.class).health()).isNull();
            assertThat(statuses(context)).containsExactly(200, 200, 200, 429);
        });
    }

    @Test
    void applicationWhenSettingsOfRedisAreEmptyThenRedisIsNotConnectedTo(CapturedOutput output) {
        contextRunner
                .withPropertyValues("ratelimit.redis.database=", "ratelimit.redis.connection-factory=")
                .run(context -> {
                    assertThat(context.getBean(RedisStore.class).health()).isNull();
                    assertThat(output).doesNotContain(IDLE);
                });
    }

    @Test
    void applicationWhenSettingsOfRedisAreIdleThenOneWarningSaysWhatToWrite(CapturedOutput output) {
        contextRunner
                .withClassLoader(new FilteredClassLoader(RedisClient.class))
                .withPropertyValues("ratelimit.redis.timeout=50ms", "ratelimit.redis.key-prefix=${nobody}:")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output)
                .containsOnlyOnce(IDLE)
                .contains(
                        "although ratelimit.redis.key-prefix, ratelimit.redis.timeout are set: Redis needs Spring Data"
                                + " Redis and Lettuce on the class path; add spring-boot-starter-data-redis, or remove what is"
                                + " under ratelimit.redis");
    }

    @Test
    void applicationWhenTheFactoryOfIdleSettingsIsAbsentThenTheWarningNamesIt(CapturedOutput output) {
        contextRunner
                .withPropertyValues("ratelimit.redis.connection-factory=third")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output)
                .containsOnlyOnce(IDLE)
                .contains("ratelimit.redis.connection-factory is set: Redis needs the bean 'third'");
    }

    @Test
    void applicationWhenSettingsOfRedisAreUsedThenThereIsNoWarning(CapturedOutput output) {
        contextRunner
                .withPropertyValues("ratelimit.redis.key-prefix=used:")
                .run(context ->
                        assertThat(context.getBean(RedisStore.class).health()).isNotNull());
        assertThat(output).doesNotContain(IDLE);
    }

    @Test
    void applicationWhenItsTemplateSerializesOtherwiseThenBothWork() {
        contextRunner
                .withUserConfiguration(Template.class)
                .withPropertyValues(SHARED, "ratelimit.redis.key-prefix=template:")
                .run(context -> {
                    assertThat(statuses(context)).containsExactly(200, 200, 200, 429);
                    RedisTemplate<?, ?> template = context.getBean("redisTemplate", RedisTemplate.class);
                    assertThat(template.getValueSerializer()).hasSameClassAs(RedisSerializer.json());
                });
    }

    @Test
    void applicationWhenThereAreTwoFactoriesThenItSaysWhatToWrite() {
        contextRunner
                .withUserConfiguration(TwoFactories.class)
                .withPropertyValues(SHARED)
                .run(context -> {
                    assertThat(context).hasFailed();
                    assertThat(context.getStartupFailure())
                            .isInstanceOfSatisfying(
                                    InvalidPolicyException.class,
                                    failure -> assertThat(failure.faults())
                                            .singleElement()
                                            .asString()
                                            .contains(
                                                    "ratelimit.zones.z.store is 'redis', which could be any of the connection factories",
                                                    "first",
                                                    "second",
                                                    "write ratelimit.redis.connection-factory"));
                });
    }

    @Test
    void applicationWhenOneOfTwoFactoriesIsNamedThenItIsUsed() {
        contextRunner
                .withUserConfiguration(TwoFactories.class)
                .withPropertyValues(
                        SHARED, "ratelimit.redis.connection-factory=second", "ratelimit.redis.key-prefix=second:")
                .run(context -> {
                    assertThat(statuses(context)).containsExactly(200, 200, 200, 429);
                    assertThat(REDIS.keys("second:*")).isNotEmpty();
                });
    }

    @Test
    void applicationWhenTheNamedFactoryIsAbsentThenItSaysSo() {
        contextRunner
                .withPropertyValues(SHARED, "ratelimit.redis.connection-factory=third")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasMessageContaining("needs the bean 'third' of ratelimit.redis.connection-factory"));
    }

    @Test
    void applicationWhenADatabaseIsGivenThenItIsUsed() {
        contextRunner
                .withPropertyValues(SHARED, "ratelimit.redis.database=5", "ratelimit.redis.key-prefix=five:")
                .run(context -> {
                    assertThat(statuses(context)).containsExactly(200, 200, 200, 429);
                    List<String> keys = REDIS.call(redis -> {
                        redis.select(5);
                        return redis.keys("five:*");
                    });
                    assertThat(keys).isNotEmpty();
                    assertThat(REDIS.keys("five:*")).isEmpty();
                });
    }

    @Test
    void applicationWhenADatabaseOfAClusterIsGivenThenItSaysWhatToWrite() {
        contextRunner
                .withPropertyValues(SHARED, "spring.data.redis.cluster.nodes=127.0.0.1:1", "ratelimit.redis.database=5")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasMessageContaining(
                                "ratelimit.zones.z.store is 'redis', which is a cluster, whose only database"
                                        + " is 0; remove ratelimit.redis.database"));
    }

    @Test
    void applicationWhenAnotherClientIsToBeUsedThenItSaysWhatToWrite() {
        contextRunner
                .withPropertyValues(SHARED, "spring.data.redis.client-type=jedis")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasMessageContaining(
                                "ratelimit.zones.z.store is 'redis', which needs a LettuceConnectionFactory;"
                                        + " set spring.data.redis.* (and no client-type but lettuce), or define one"));
    }

    @Test
    void applicationWhenTheClientHasANameThenOurConnectionsHaveIt() {
        contextRunner
                .withPropertyValues(SHARED, "spring.data.redis.client-name=cart", "ratelimit.redis.key-prefix=named:")
                .run(context -> {
                    assertThat(statuses(context)).containsExactly(200, 200, 200, 429);
                    assertThat(REDIS.<String>call(redis -> redis.clientList())).contains("name=cart");
                });
    }

    @Test
    void applicationWhenItsClientFindsAddressesByItselfThenOursFindsThemLikewise() {
        UnaryOperator<HostAndPort> mapping = named -> HostAndPort.of("127.0.0.1", REDIS.port());
        contextRunner
                .withBean(
                        ClientResourcesBuilderCustomizer.class,
                        () -> resources ->
                                resources.socketAddressResolver(MappingSocketAddressResolver.create(mapping)))
                .withPropertyValues(
                        SHARED, "spring.data.redis.host=redis.invalid", "ratelimit.redis.key-prefix=mapped:")
                .run(context -> {
                    assertThat(statuses(context)).containsExactly(200, 200, 200, 429);
                    assertThat(REDIS.keys("mapped:*")).isNotEmpty();
                });
    }

    private static List<Integer> statuses(AssertableWebApplicationContext context) throws Exception {
        AnnotationConfigServletWebServerApplicationContext running =
                (AnnotationConfigServletWebServerApplicationContext) context.getSourceApplicationContext();
        int port = Objects.requireNonNull(running.getWebServer()).getPort();
        URI uri = URI.create("http://localhost:" + port + "/a");
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            statuses.add(CLIENT.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.discarding())
                    .statusCode());
        }
        return statuses;
    }

    @Configuration(proxyBeanMethods = false)
    @RestController
    static class Shop {

        @GetMapping("/a")
        String get() {
            return "ok";
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Template {

        @Bean
        RedisTemplate<Object, Object> redisTemplate(LettuceConnectionFactory factory) {
            RedisTemplate<Object, Object> template = new RedisTemplate<>();
            template.setConnectionFactory(factory);
            template.setValueSerializer(RedisSerializer.json());
            return template;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoFactories {

        @Bean
        LettuceConnectionFactory first() {
            return new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", 1));
        }

        @Bean
        LettuceConnectionFactory second() {
            return new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", REDIS.port()));
        }
    }
}
