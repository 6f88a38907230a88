package io.github.ratelimit.autoconfigure;

import static io.github.ratelimit.fixture.LimiterFixture.rule;
import static io.github.ratelimit.fixture.LimiterFixture.zone;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.autoconfigure.RateLimitEndpointAutoConfigurationTests.Limiter;
import io.github.ratelimit.fixture.LimiterFixture;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.policy.Rule;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.policy.Zone.WhenFull;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jackson.JacksonEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementContextAutoConfiguration;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.servlet.autoconfigure.actuate.web.ServletManagementContextAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.request.RequestPostProcessor;

/** The endpoint over HTTP, in an application that formats its own JSON differently. */
class RateLimitEndpointWebTests {

    private final Zone login = zone("login", "30/m", 5);
    private final Zone search = zone("/search", "2/s", 8, 10, WhenFull.REJECT);
    private final Rule loginRule = rule("/api/login", Set.of("POST"), login);

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
                    RateLimitEndpointAutoConfiguration.class))
            .withUserConfiguration(Limiter.class)
            .withPropertyValues(
                    "management.endpoints.web.exposure.include=ratelimit",
                    "spring.jackson.property-naming-strategy=SNAKE_CASE");

    @Test
    void rootThenHasTheShapeOfTheContract() {
        run((mvc, fixture) -> {
            for (int i = 0; i < 7; i++) {
                fixture.limiter()
                        .statistics(loginRule)
                        .count(fixture.draw(login, "alice").decision().permitted());
            }
            assertThat(mvc.get().uri("/actuator/ratelimit"))
                    .hasStatusOk()
                    .bodyJson()
                    .isStrictlyEqualTo("""
                            {"dryRun": false,
                             "zones": {
                               "login": {"key": ["text"], "algorithm": "token-bucket", "rate": "30/m", "burst": 5,
                                 "store": "local", "dryRun": false, "keys": 1, "maxKeys": 100000, "usage": 0.00001,
                                 "full": false,
                                 "decisions": {"permitted": 5, "delayed": 0, "rejected": 2, "dryRunRejected": 0},
                                 "rejections": {"limit": 2, "shared": 0, "full": 0, "penalty": 0, "storeFailure": 0,
                                   "denied": 0, "missingKey": 0, "cost": 0},
                                 "lastRejectedAt": "2026-11-29T19:49:00Z"},
                               "/search": {"key": ["text"], "algorithm": "token-bucket", "rate": "2/s", "burst": 8,
                                 "store": "local", "dryRun": false, "keys": 0, "maxKeys": 10, "usage": 0.0,
                                 "full": false,
                                 "decisions": {"permitted": 0, "delayed": 0, "rejected": 0, "dryRunRejected": 0},
                                 "rejections": {"limit": 0, "shared": 0, "full": 0, "penalty": 0, "storeFailure": 0,
                                   "denied": 0, "missingKey": 0, "cost": 0}}},
                             "rules": [
                               {"path": "/api/login", "methods": ["POST"], "zones": ["login"],
                                "source": "application.yml", "permitted": 5, "rejected": 2},
                               {"path": "/search", "methods": [], "zones": ["/search"],
                                "source": "application.yml", "permitted": 0, "rejected": 0}]}
                            """);
        });
    }

    @Test
    void zoneWhenNamedInThePathOrAsAParameterThenShown() {
        run((mvc, fixture) -> {
            assertThat(mvc.get().uri("/actuator/ratelimit/login"))
                    .bodyJson()
                    .extractingPath("$.burst")
                    .isEqualTo(5);
            assertThat(mvc.get().uri("/actuator/ratelimit?zone=login"))
                    .bodyJson()
                    .extractingPath("$.burst")
                    .isEqualTo(5);
            assertThat(mvc.get().uri("/actuator/ratelimit?zone=/search"))
                    .bodyJson()
                    .extractingPath("$.burst")
                    .isEqualTo(8);
        });
    }

    @Test
    void zoneThenRemembersWhatTheContractSays() {
        run((mvc, fixture) -> {
            for (int i = 0; i < 6; i++) {
                fixture.draw(login, "alice");
            }
            assertThat(mvc.get().uri("/actuator/ratelimit/login")).bodyJson().isLenientlyEqualTo("""
                            {"topRejected": [{"key": "al*", "count": 1, "lastAt": "2026-11-29T19:49:00Z"}],
                             "recentRejections": [{"time": "2026-11-29T19:49:00Z", "key": "al*", "reason": "limit",
                               "dryRun": false}],
                             "advice": {"observedKeys": 1, "p50": 6, "p95": 6, "max": 6, "rate": "7.2/s", "burst": 29}}
                            """);
        });
    }

    @Test
    void zoneWhenKeysAreShownThenThoseOfRejectionsToo() {
        run(
                (mvc, fixture) -> {
                    fixture.draw(login, RateLimitKey.ofText("alice"), 6, false);
                    assertThat(mvc.get().uri("/actuator/ratelimit?zone=login"))
                            .bodyJson()
                            .isLenientlyEqualTo("""
                                    {"topRejected": [{"key": "alice"}], "recentRejections": [{"key": "alice"}]}
                                    """);
                },
                "management.endpoint.ratelimit.show-keys=always");
    }

    @Test
    void zoneWhenUnknownThen404() {
        run((mvc, fixture) -> {
            for (String uri : List.of("/nosuch", "/nosuch/alice", "?zone=nosuch", "?zone=nosuch&key=a", "?zone=")) {
                assertThat(mvc.get().uri("/actuator/ratelimit" + uri)).as(uri).hasStatus(HttpStatus.NOT_FOUND);
            }
        });
    }

    @Test
    void keyWhenInThePathOrAsAParameterThenShownMaskedAndSpendsNothing() {
        run((mvc, fixture) -> {
            for (int i = 0; i < 5; i++) {
                fixture.draw(login, "a/bc");
            }
            fixture.draw(login, "alice");
            String spent = """
                    {"key": "a/*", "limit": 5, "remaining": 0, "retryAfter": 2, "resetAfter": 10,
                     "banned": false, "strikes": 0}
                    """;
            assertThat(mvc.get().uri("/actuator/ratelimit?zone=login&key=a/bc"))
                    .bodyJson()
                    .isStrictlyEqualTo(spent);
            assertThat(mvc.get().uri("/actuator/ratelimit/login?key=a/bc"))
                    .bodyJson()
                    .isStrictlyEqualTo(spent);
            for (int i = 0; i < 10; i++) {
                assertThat(mvc.get().uri("/actuator/ratelimit/login/alice"))
                        .bodyJson()
                        .isStrictlyEqualTo("""
                                {"key": "al*", "limit": 5, "remaining": 4, "retryAfter": 0, "resetAfter": 2,
                                 "banned": false, "strikes": 0}
                                """);
            }
            assertThat(mvc.get().uri("/actuator/ratelimit?zone=/search&key=alice"))
                    .bodyJson()
                    .extractingPath("$.remaining")
                    .isEqualTo(8);
        });
    }

    @Test
    void keyWhenNoRequestCanHaveItThen400WithTheReason() {
        run((mvc, fixture) -> {
            for (String uri : List.of("/login?key=", "?zone=login&key=", "/login/ ")) {
                assertThat(mvc.get().uri("/actuator/ratelimit" + uri))
                        .as(uri)
                        .hasStatus(HttpStatus.BAD_REQUEST)
                        .hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
                        .bodyJson()
                        .extractingPath("$.detail")
                        .isEqualTo("No request has this key in zone 'login': a text is not blank");
            }
        });
    }

    @Test
    void keyWhenItsZoneIsNotNamedThen400WithTheReason() {
        run((mvc, fixture) -> assertThat(mvc.get().uri("/actuator/ratelimit?key=alice"))
                .hasStatus(HttpStatus.BAD_REQUEST)
                .bodyJson()
                .extractingPath("$.detail")
                .asString()
                .contains("zone"));
    }

    @Test
    void keyWhenShownAlwaysThenInFull() {
        run(
                (mvc, fixture) -> assertThat(mvc.get().uri("/actuator/ratelimit/login/alice"))
                        .bodyJson()
                        .extractingPath("$.key")
                        .isEqualTo("alice"),
                "management.endpoint.ratelimit.show-keys=always");
    }

    @Test
    void keyWhenShownToTheAuthorizedThenInFullForTheirRoleOnly() {
        run(
                (mvc, fixture) -> {
                    assertKeyIsShownAs(mvc, request -> request, "al*");
                    assertKeyIsShownAs(mvc, request -> user(request, "USER"), "al*");
                    assertKeyIsShownAs(mvc, request -> user(request, "OPS"), "alice");
                },
                "management.endpoint.ratelimit.show-keys=when-authorized",
                "management.endpoint.ratelimit.roles=OPS");
    }

    @Test
    void accessThenReadOnlyAndNothingCanBeWritten() {
        run((mvc, fixture) -> {
            assertThat(mvc.post()
                            .uri("/actuator/ratelimit/login")
                            .contentType(MediaType.APPLICATION_JSON)
                            .content("{\"burst\": 50}"))
                    .hasStatus(HttpStatus.METHOD_NOT_ALLOWED);
            assertThat(mvc.delete().uri("/actuator/ratelimit/login/alice")).hasStatus(HttpStatus.METHOD_NOT_ALLOWED);
        });
        contextRunner.run(context -> assertThat(
                        context.getBean(WebEndpointsSupplier.class).getEndpoints())
                .singleElement()
                .satisfies(endpoint -> {
                    assertThat(endpoint.getEndpointId()).hasToString("ratelimit");
                    assertThat(endpoint.getDefaultAccess()).isEqualTo(Access.READ_ONLY);
                    assertThat(endpoint.getOperations()).hasSize(3);
                }));
    }

    private static void assertKeyIsShownAs(MockMvcTester mvc, RequestPostProcessor reader, String shown) {
        assertThat(mvc.get().uri("/actuator/ratelimit/login/alice").with(reader))
                .bodyJson()
                .extractingPath("$.key")
                .isEqualTo(shown);
    }

    private static MockHttpServletRequest user(MockHttpServletRequest request, String role) {
        request.setUserPrincipal(() -> "somebody");
        request.addUserRole(role);
        return request;
    }

    private void run(Scenario scenario, String... properties) {
        contextRunner.withPropertyValues(properties).run(context -> {
            LimiterFixture fixture = context.getBean(LimiterFixture.class);
            fixture.enforce(List.of(login, search), loginRule, rule("/search", Set.of(), search));
            scenario.run(MockMvcTester.from(context), fixture);
        });
    }

    /** Asks the endpoint about the limiter. */
    private interface Scenario {

        void run(MockMvcTester mvc, LimiterFixture fixture);
    }
}
