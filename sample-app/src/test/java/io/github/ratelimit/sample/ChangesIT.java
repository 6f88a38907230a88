package io.github.ratelimit.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** Limits that change while the shop is open. */
@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {
            "management.endpoint.ratelimit.access=unrestricted",
            "ratelimit.reload.interval=100ms",
            "ratelimit.zones.api.rate=100/10m",
            "ratelimit.zones.api.overrides[0].key=198.51.100.0/24",
            "ratelimit.zones.api.overrides[0].deny=true",
            "ratelimit.zones.api.overrides[1].key=203.0.113.0/24",
            "ratelimit.zones.api.overrides[1].unlimited=true",
            "ratelimit.rules[0].path=/whoami",
            "ratelimit.rules[0].zones[0]=api"
        })
@DirtiesContext
class ChangesIT {

    @TempDir
    static Path directory;

    @LocalServerPort
    private int port;

    private final String client = Shop.newClient();
    private Shop shop;

    @DynamicPropertySource
    static void reload(DynamicPropertyRegistry registry) {
        registry.add("ratelimit.reload.location", () -> file().toString());
    }

    @BeforeEach
    void open() {
        shop = new Shop(port);
    }

    @AfterEach
    void takeBack() {
        assertThat(write("DELETE", "/api", "").statusCode()).isEqualTo(204);
    }

    @Test
    void postWhenLoweredThenRaisedThenConsumptionCarriesOver() {
        assertThat(admitted(client, 10)).isEqualTo(10);

        assertThat(write("POST", "/api", "{\"rate\": \"5/10m\"}").statusCode()).isEqualTo(200);
        assertThat(admitted(client, 10)).isZero();

        assertThat(write("POST", "/api", "{\"rate\": \"50/10m\"}").statusCode()).isEqualTo(200);
        assertThat(admitted(client, 60)).isBetween(40, 41);

        assertThat(write("DELETE", "/api/" + client, "").statusCode()).isEqualTo(204);
        assertThat(admitted(client, 60)).isBetween(50, 51);
    }

    @Test
    void postWhenWrongThenSaysWhyAndChangesNothing() {
        HttpResponse<String> answer = write("POST", "/api", "{\"rate\": \"5\", \"burst\": 0}");

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(Shop.json(answer).path("detail").asString())
                .contains("ratelimit.zones.api.rate is '5', which has no period");
        assertThat(shop.report().path("zones").path("api").path("rate").asString())
                .isEqualTo("100/10m");
        assertThat(write("POST", "/nowhere", "{\"burst\": 5}").statusCode()).isEqualTo(404);
    }

    @Test
    void overridesWhenAClientIsOnAListThenTheZoneHasNoOrTheLastWord() {
        HttpResponse<String> denied = shop.get("198.51.100.9", "/whoami");
        assertThat(denied.statusCode()).isEqualTo(403);
        assertThat(denied.headers().firstValue("Retry-After")).isEmpty();

        assertThat(admitted("203.0.113.9", 150)).isEqualTo(150);
    }

    @Test
    void fileWhenItComesAndChangesThenItsLimitsAreInForce() throws IOException {
        Files.writeString(file(), "ratelimit.zones.api: { rate: 3/10m }");
        Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> "3/10m".equals(rate()));
        assertThat(admitted(client, 10)).isEqualTo(3);

        Files.writeString(file(), "ratelimit.zones.api: { rate: 3 }");
        Files.writeString(file(), "");
        Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> "100/10m".equals(rate()));
    }

    private String rate() {
        return shop.report().path("zones").path("api").path("rate").asString();
    }

    private int admitted(String from, int requests) {
        return (int) IntStream.range(0, requests)
                .filter(i -> shop.get(from, "/whoami").statusCode() != 429)
                .count();
    }

    private HttpResponse<String> write(String method, String target, String body) {
        return shop.send(HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/actuator/ratelimit" + target))
                .header("Content-Type", "application/json")
                .method(method, BodyPublishers.ofString(body)));
    }

    private static Path file() {
        return directory.resolve("limits.yml");
    }
}
