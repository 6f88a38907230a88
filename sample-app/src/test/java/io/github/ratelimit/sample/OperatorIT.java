package io.github.ratelimit.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;

/** What an operator reads agrees with what was sent. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
class OperatorIT {

    @LocalServerPort
    private int port;

    private final String client = Shop.newClient();
    private Shop shop;

    @BeforeEach
    void open() {
        shop = new Shop(port);
    }

    @Test
    void endpointWhenLoginsWereSentThenCountsThem() {
        JsonNode before = shop.report();

        login(8);

        JsonNode after = shop.report();
        JsonNode zone = after.path("zones").path("login");
        assertThat(zone.path("key")).hasToString("[\"client-ip\"]");
        assertThat(zone.path("algorithm").asString()).isEqualTo("token-bucket");
        assertThat(zone.path("rate").asString()).isEqualTo("6/m");
        assertThat(zone.path("burst").asInt()).isEqualTo(5);
        assertThat(zone.path("store").asString()).isEqualTo("local");
        assertThat(zone.path("keys").asInt()).isPositive();
        assertThat(grown(before, after, "/zones/login/decisions/permitted")).isEqualTo(5);
        assertThat(grown(before, after, "/zones/login/decisions/rejected")).isEqualTo(3);
        assertThat(grown(before, after, "/zones/login/rejections/limit")).isEqualTo(3);
        assertThat(zone.path("lastRejectedAt").asString()).isNotBlank();
        assertThat(rule(after, "/api/login").path("source").asString()).isNotBlank();
        assertThat(counted(after, "permitted") - counted(before, "permitted")).isEqualTo(5);
        assertThat(counted(after, "rejected") - counted(before, "rejected")).isEqualTo(3);
    }

    @Test
    void endpointWhenAskedForAKeyThenTellsWhatIsLeftAndSpendsNothing() {
        login(3);

        for (int i = 0; i < 3; i++) {
            assertThat(shop.report("login", client).path("remaining").asInt()).isEqualTo(2);
        }
        assertThat(Shop.json(shop.get("/actuator/ratelimit/login/" + client))
                        .path("remaining")
                        .asInt())
                .isEqualTo(2);
    }

    @Test
    void endpointWhenAZoneIsUnknownThenNotFound() {
        assertThat(shop.get("/actuator/ratelimit/nowhere").statusCode()).isEqualTo(404);
    }

    @Test
    void endpointWhenPolledThenChargesNobody() {
        JsonNode before = shop.report();

        for (int i = 0; i < 50; i++) {
            assertThat(shop.get(client, "/actuator/ratelimit").statusCode()).isEqualTo(200);
        }

        // the keys of a zone may have become fewer meanwhile: those that are idle are forgotten
        JsonNode after = shop.report();
        assertThat(after.path("zones").propertyNames())
                .isNotEmpty()
                .allSatisfy(zone -> assertThat(decisions(after, zone)).isEqualTo(decisions(before, zone)));
    }

    @Test
    void endpointWhenHandlersAreAnnotatedThenListsThemAsRules() {
        assertThat(rule(shop.report(), "/api/items/{id}").path("zones")).hasToString("[\"ItemController#item\"]");
        assertThat(rule(shop.report(), "/seckill/{id}").path("zones")).hasToString("[\"seckill\"]");
    }

    @Test
    void prometheusWhenLoginsWereSentThenShowsTheDecisions() {
        long permitted = shop.scraped("login", "permitted");
        long rejected = shop.scraped("login", "rejected");

        login(7);

        assertThat(shop.scraped("login", "permitted") - permitted).isEqualTo(5);
        assertThat(shop.scraped("login", "rejected") - rejected).isEqualTo(2);
        assertThat(shop.get("/actuator/prometheus").body()).doesNotContain(client);
    }

    @Test
    void prometheusWhenLoginsAreRefusedThenTheServersRequestsCountEachOnceAndNotAsAnError() {
        long before = answered("429");

        login(9);

        assertThat(answered("429") - before).isEqualTo(4);
        assertThat(shop.get("/actuator/prometheus").body().lines())
                .filteredOn(line -> line.startsWith("http_server_requests_seconds_count{"))
                .noneMatch(line -> line.contains("uri=\"/error\"") || line.contains(client));
    }

    @Test
    void endpointWhenLoginsAreRefusedThenRemembersWhoSentWhat() {
        login(7);

        JsonNode zone = Shop.json(shop.get("/actuator/ratelimit/login"));
        JsonNode recent = zone.path("recentRejections").path(0);
        assertThat(recent.path("rule").asString()).isEqualTo("POST /api/login");
        assertThat(recent.path("key").asString()).isEqualTo("198.18.*.*");
        assertThat(recent.path("method").asString()).isEqualTo("POST");
        assertThat(recent.path("path").asString()).isEqualTo("/api/login");
        assertThat(recent.path("userAgent").asString()).startsWith("Java-http-client/");
        assertThat(recent.path("reason").asString()).isEqualTo("limit");
        assertThat(zone.path("topRejected").path(0).path("key").asString()).isEqualTo("198.18.*.*");
        assertThat(zone.path("advice").path("observedKeys").asLong()).isPositive();
        assertThat(zone.toString()).doesNotContain(client);
    }

    @Test
    void endpointWhenACallIsRefusedThenNamesItsMethod() {
        Shop.atOnce(20, () -> shop.get(client, "/api/items/1"));

        JsonNode recent = Shop.json(shop.get("/actuator/ratelimit?zone=ItemController%23item"))
                .path("recentRejections")
                .path(0);
        assertThat(recent.path("rule").asString()).isEqualTo("ItemController#item");
        assertThat(recent.path("path").asString()).isEqualTo("/api/items/1");
    }

    @Test
    void healthThenTellsOfEveryZone() {
        JsonNode health = Shop.json(shop.get("/actuator/health"));
        assertThat(health.at("/components/ratelimit/status").asString()).isEqualTo("UP");
        assertThat(health.at("/components/ratelimit/details/zones/login/maxKeys")
                        .asLong())
                .isEqualTo(100_000);
    }

    private long answered(String status) {
        return shop.get("/actuator/prometheus")
                .body()
                .lines()
                .filter(line -> line.startsWith("http_server_requests_seconds_count{")
                        && line.contains("status=\"" + status + "\""))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    private void login(int times) {
        for (int i = 0; i < times; i++) {
            shop.login(client);
        }
    }

    private static JsonNode decisions(JsonNode report, String zone) {
        return report.path("zones").path(zone).path("decisions");
    }

    private static long grown(JsonNode before, JsonNode after, String pointer) {
        return after.at(pointer).asLong() - before.at(pointer).asLong();
    }

    private static long counted(JsonNode report, String outcome) {
        return rule(report, "/api/login").path(outcome).asLong();
    }

    private static JsonNode rule(JsonNode report, String path) {
        return StreamSupport.stream(report.path("rules").spliterator(), false)
                .filter(rule -> rule.path("path").asString().equals(path))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no rule " + path + " in " + report.path("rules")));
    }
}
