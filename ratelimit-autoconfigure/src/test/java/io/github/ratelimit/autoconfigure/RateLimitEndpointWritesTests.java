package io.github.ratelimit.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.RateLimited;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.limiter.Charge;
import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.policy.PolicyHolder;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.store.ChangeStore;
import io.github.ratelimit.store.StoreUnavailableException;
import io.github.ratelimit.store.ZoneChange;
import io.github.ratelimit.store.local.Ticker;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jackson.JacksonEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementContextAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.servlet.autoconfigure.actuate.web.ServletManagementContextAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Changes of zones over HTTP, in an application whose operators may write. */
class RateLimitEndpointWritesTests {

    private static final RateLimitKey ALICE = RateLimitKey.ofText("alice");

    private final AtomicLong nanos = new AtomicLong();
    private final WebApplicationContextRunner contextRunner = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    JacksonAutoConfiguration.class,
                    HttpMessageConvertersAutoConfiguration.class,
                    DispatcherServletAutoConfiguration.class,
                    WebMvcAutoConfiguration.class,
                    EndpointAutoConfiguration.class,
                    WebEndpointAutoConfiguration.class,
                    JacksonEndpointAutoConfiguration.class,
                    ManagementContextAutoConfiguration.class,
                    ServletManagementContextAutoConfiguration.class,
                    RateLimitAutoConfiguration.class,
                    RateLimitEndpointAutoConfiguration.class))
            .withBean(Ticker.class, () -> nanos::get)
            .withUserConfiguration(Shop.class)
            .withPropertyValues(
                    "management.endpoints.web.exposure.include=ratelimit",
                    "management.endpoint.ratelimit.access=UNRESTRICTED",
                    "ratelimit.zones.users.key=path",
                    "ratelimit.zones.users.rate=100/10m",
                    "ratelimit.zones.users.missing-key=reject",
                    "ratelimit.zones.slots.algorithm=concurrency",
                    "ratelimit.zones.slots.max-concurrent=2",
                    "ratelimit.rules[0].path=/search",
                    "ratelimit.rules[0].rate=2/s",
                    "ratelimit.rules[0].burst=8",
                    "ratelimit.rules[1].path=/paid",
                    "ratelimit.rules[1].zones=users",
                    "ratelimit.rules[1].cost=3");

    @Test
    void postWhenLoweredAndRaisedThenConsumptionCarriesOver() {
        run((context, mvc) -> {
            assertThat(admitted(context, "users", 10)).isEqualTo(10);

            assertThat(post(mvc, "/users", "{\"rate\": \"5/10m\"}"))
                    .hasStatusOk()
                    .bodyJson()
                    .extractingPath("$.burst")
                    .isEqualTo(5);
            assertThat(admitted(context, "users", 10)).isZero();
            nanos.addAndGet(600_000_000_000L);
            assertThat(admitted(context, "users", 10)).isEqualTo(5);

            assertThat(post(mvc, "/users", "{\"rate\": \"50/10m\"}")).hasStatusOk();
            assertThat(admitted(context, "users", 100)).isLessThanOrEqualTo(45);

            assertThat(mvc.delete().uri("/actuator/ratelimit/users")).hasStatus(HttpStatus.NO_CONTENT);
            assertThat(zone(context, "users").algorithm().limit()).isEqualTo(100);
        });
    }

    @Test
    void postWhenOneSettingIsNamedThenTheOthersStay() {
        run((context, mvc) -> {
            assertThat(post(mvc, "?zone=/search", "{\"burst\": 3}")).hasStatusOk();
            assertThat(post(mvc, "?zone=/search", "{\"rate\": \"1/s\", \"dryRun\": true, \"maxKeys\": 7}"))
                    .hasStatusOk();
            Zone search = zone(context, "/search");
            assertThat(search.algorithm().limit()).isEqualTo(3);
            assertThat(search.algorithm().rate()).hasToString("1/s");
            assertThat(search.dryRun()).isTrue();
            assertThat(search.maxKeys()).isEqualTo(7);

            assertThat(post(mvc, "/slots", "{\"maxConcurrent\": 9}")).hasStatusOk();
            assertThat(zone(context, "slots").algorithm().limit()).isEqualTo(9);
        });
    }

    @Test
    void postWhenTheZoneIsThatOfAnAnnotationThenItIsChangedTheSame() {
        run((context, mvc) -> {
            assertThat(post(mvc, "/Shop%23order", "{\"rate\": \"7/s\"}")).hasStatusOk();
            assertThat(zone(context, "Shop#order").algorithm().limit()).isEqualTo(7);
            assertThat(post(mvc, "?zone=Shop%23order", "{\"burst\": 1}"))
                    .hasStatus(HttpStatus.BAD_REQUEST)
                    .bodyJson()
                    .extractingPath("$.detail")
                    .asString()
                    .contains("Shop#order @RateLimited has the cost 2");
            assertThat(mvc.delete().uri(URI.create("/actuator/ratelimit?zone=Shop%23order")))
                    .hasStatus(HttpStatus.NO_CONTENT);
            assertThat(zone(context, "Shop#order").algorithm().limit()).isEqualTo(4);
        });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\0', textBlock = """
            /users          | {"rate": "5"}                       | ratelimit.zones.users.rate is '5', which has no period
            /users          | {"rate": "5", "burst": 2}           | ratelimit.zones.users.rate is '5', which has no period
            /users          | {"burst": 0}                        | ratelimit.zones.users.burst is '0', which is below 1
            /users          | {"burst": 2}                        | ratelimit.zones.users.burst is 2, below the cost 3 of ratelimit.rules[1]
            /users          | {"burst": "many", "dryRun": "yes"}  | burst is 'many'; write a whole number; dryRun is 'yes'; write true or false
            /users          | {"maxConcurrent": 4}                | ratelimit.zones.users.max-concurrent has no meaning
            /users          | {"maxKeys": 0, "rate": "0/s"}       | ratelimit.zones.users.max-keys is 0; write how many keys it may hold, at least 1; ratelimit.zones.users.rate is
            /users          | {"brust": 4}                        | The change says nothing; write rate, burst
            /users          | {}                                  | The change says nothing; write rate, burst
            ?zone=/search   | {"burst": 0}                        | ratelimit.rules[0].burst is '0', which is below 1
            /slots          | {"rate": "5/s"}                     | ratelimit.zones.slots.rate has no meaning
            """)
    void postWhenWrongThen400WithEveryReasonAndNothingHasChanged(String target, String body, String detail) {
        run((context, mvc) -> {
            Map<String, Zone> before = context.getBean(PolicyHolder.class).get().zones();
            assertThat(post(mvc, target, body))
                    .hasStatus(HttpStatus.BAD_REQUEST)
                    .hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
                    .bodyJson()
                    .extractingPath("$.detail")
                    .asString()
                    .startsWith(detail);
            assertThat(context.getBean(PolicyHolder.class).get().zones()).isSameAs(before);
        });
    }

    @Test
    void writeWhenTheZoneIsUnknownThen404() {
        run((context, mvc) -> {
            assertThat(post(mvc, "/nosuch", "{\"burst\": 3}")).hasStatus(HttpStatus.NOT_FOUND);
            assertThat(post(mvc, "?zone=nosuch", "{\"burst\": 3}")).hasStatus(HttpStatus.NOT_FOUND);
            for (String uri : List.of("/nosuch", "/nosuch/alice", "?zone=nosuch", "?zone=nosuch&key=a")) {
                assertThat(mvc.delete().uri("/actuator/ratelimit" + uri))
                        .as(uri)
                        .hasStatus(HttpStatus.NOT_FOUND);
            }
            assertThat(post(mvc, "", "{\"burst\": 3}")).hasStatus(HttpStatus.BAD_REQUEST);
            assertThat(mvc.delete().uri("/actuator/ratelimit")).hasStatus(HttpStatus.BAD_REQUEST);
        });
    }

    @Test
    void deleteWhenAKeyIsNamedThenItIsAsIfItHadNeverCome() {
        run((context, mvc) -> {
            RateLimitKey slash = RateLimitKey.ofText("/a/b");
            assertThat(admitted(context, "users", ALICE, 200)).isEqualTo(100);
            assertThat(admitted(context, "users", slash, 200)).isEqualTo(100);

            assertThat(mvc.delete().uri("/actuator/ratelimit?zone=users&key=/a/b"))
                    .hasStatus(HttpStatus.NO_CONTENT);

            assertThat(admitted(context, "users", slash, 200)).isEqualTo(100);
            assertThat(admitted(context, "users", ALICE, 200)).isZero();
        });
    }

    @Test
    void startWhenChangesAreKeptThenTheyAreInForceUnlessTheyNoLongerFit() {
        ChangeStore store = ChangeStore.inMemory();
        store.put("users", new ZoneChange("7/m", null, null, null, null));
        store.put("slots", new ZoneChange("7/m", null, null, null, null));
        store.put("gone", new ZoneChange("7/m", null, null, null, null));
        contextRunner.withBean(ChangeStore.class, () -> store).run(context -> {
            assertThat(zone(context, "users").algorithm().limit()).isEqualTo(7);
            assertThat(zone(context, "slots").algorithm().limit()).isEqualTo(2);
        });
    }

    @Test
    void postWhenTheChangeCannotBeKeptThen503AndNothingHasChanged() {
        contextRunner.withBean(ChangeStore.class, DeadStore::new).run(context -> {
            MockMvcTester mvc = MockMvcTester.from(context);
            assertThat(post(mvc, "/users", "{\"burst\": 9}")).hasStatus(HttpStatus.SERVICE_UNAVAILABLE);
            assertThat(zone(context, "users").algorithm().limit()).isEqualTo(100);
        });
    }

    private static MvcTestResult post(MockMvcTester mvc, String target, String body) {
        return mvc.post()
                .uri(URI.create("/actuator/ratelimit" + target))
                .contentType(MediaType.APPLICATION_JSON)
                .content(body)
                .exchange();
    }

    private static Zone zone(AssertableWebApplicationContext context, String name) {
        return Objects.requireNonNull(
                context.getBean(PolicyHolder.class).get().zones().get(name));
    }

    private static int admitted(AssertableWebApplicationContext context, String zone, int draws) {
        return admitted(context, zone, ALICE, draws);
    }

    private static int admitted(AssertableWebApplicationContext context, String zone, RateLimitKey key, int draws) {
        int admitted = 0;
        for (int i = 0; i < draws; i++) {
            Charge charge = new Charge(zone(context, zone), key, 1, false);
            admitted +=
                    Objects.requireNonNull(context.getBean(RateLimiter.class).acquire(List.of(charge)))
                                    .decision()
                                    .permitted()
                            ? 1
                            : 0;
        }
        return admitted;
    }

    private void run(Scenario scenario) {
        contextRunner.run(context -> scenario.run(context, MockMvcTester.from(context)));
    }

    private interface Scenario {

        void run(AssertableWebApplicationContext context, MockMvcTester mvc);
    }

    @RestController
    static class Shop {

        @GetMapping("/order")
        @RateLimited(rate = "4/s", cost = "2")
        String order() {
            return "ordered";
        }
    }

    /** A shared store that does not answer. */
    private static final class DeadStore implements ChangeStore {

        @Override
        public Map<String, ZoneChange> changes() {
            return Map.of();
        }

        @Override
        public void put(String zone, ZoneChange change) {
            throw new StoreUnavailableException(StoreUnavailableException.Kind.TIMEOUT, "no answer in time", null);
        }

        @Override
        public void remove(String zone) {
            throw new StoreUnavailableException(StoreUnavailableException.Kind.TIMEOUT, "no answer in time", null);
        }

        @Override
        public void onChange(Runnable listener) {
            // it never changes
        }
    }
}
