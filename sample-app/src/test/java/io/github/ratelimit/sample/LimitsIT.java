package io.github.ratelimit.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;

/** What clients of the shop get, under the limits that it ships with. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
class LimitsIT {

    private static final int LOGIN_BURST = 5;

    @LocalServerPort
    private int port;

    private final String client = Shop.newClient();
    private Shop shop;

    @BeforeEach
    void open() {
        shop = new Shop(port);
    }

    @Test
    void loginWhenBeyondItsBurstThenRefusedWithRetryAfterAndProblem() {
        assertThat(statuses(LOGIN_BURST, () -> shop.login(client))).containsOnly(200);

        HttpResponse<String> refused = shop.login(client);

        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(Shop.retryAfter(refused)).isBetween(1L, 10L);
        assertThat(refused.headers().firstValue("Content-Type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("application/problem+json"));
        JsonNode problem = Shop.json(refused);
        assertThat(problem.path("type").asString())
                .isEqualTo("https://iana.org/assignments/http-problem-types#quota-exceeded");
        assertThat(problem.path("title").asString()).isNotBlank();
        assertThat(problem.path("status").asInt()).isEqualTo(429);
        assertThat(problem.path("detail").asString()).isNotBlank();
        assertThat(problem.path("instance").asString()).isEqualTo("/api/login");
        assertThat(problem.path("violated-policies")).hasToString("[\"login\"]");
    }

    @Test
    void loginWhenWrongThenChargedLikeARightOne() {
        assertThat(statuses(LOGIN_BURST, () -> shop.login(client, "{\"username\": \"demo\", \"password\": \"guess\"}")))
                .containsOnly(401);

        assertThat(shop.login(client).statusCode()).isEqualTo(429);
    }

    @Test
    void loginWhenSentAsFormThenItsBodyStillReachesTheApplication() {
        HttpResponse<String> response = shop.send(shop.request(client, "/api/login")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString("username=demo&password=demo")));

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(Shop.json(response).path("token").asString()).isNotBlank();
    }

    @Test
    void otherPathsWhenLoginIsSpentThenUnaffected() {
        spendLogin(client);

        assertThat(shop.get(client, "/search?q=lamp").statusCode()).isEqualTo(200);
        assertThat(shop.get(client, "/api/items/1").statusCode()).isEqualTo(200);
        assertThat(shop.get(client, "/images/mug-thumb.bmp").statusCode()).isEqualTo(200);
        assertThat(shop.buy(client, client).statusCode()).isEqualTo(200);
    }

    @Test
    void loginWhenAnotherClientSpentHisThenOwnBudgetIsWhole() {
        spendLogin(client);
        String other = Shop.newClient();

        assertThat(statuses(LOGIN_BURST, () -> shop.login(other))).containsOnly(200);
    }

    @Test
    void loginWhenForgedEntriesPrecedeTheProxysThenTheyCountForNothing() {
        List<Integer> statuses = statuses(LOGIN_BURST + 2, () -> shop.login(Shop.newClient() + ", " + client));

        assertThat(statuses.subList(0, LOGIN_BURST)).containsOnly(200);
        assertThat(statuses.subList(LOGIN_BURST, LOGIN_BURST + 2)).containsOnly(429);
    }

    @Test
    void loginWhenFromOneNetworkOfIpv6ThenOneBudget() {
        Stream.of(
                        "2001:db8:1:2::1",
                        "2001:DB8:1:2:0:0:0:1",
                        "2001:db8:1:2:ffff::9",
                        "[2001:db8:1:2::4]:443",
                        "2001:db8:1:2::5")
                .forEach(address ->
                        assertThat(shop.login(address).statusCode()).as(address).isEqualTo(200));

        assertThat(shop.login("2001:db8:1:2::6").statusCode()).isEqualTo(429);
        assertThat(shop.login("2001:db8:1:3::6").statusCode()).isEqualTo(200);
    }

    @Test
    void searchWhenTenAtOnceThenThreePassFourWaitForTheirTurnAndTheRestIsRefused() {
        long start = System.nanoTime();
        Queue<Long> admitted = new ConcurrentLinkedQueue<>();

        List<HttpResponse<String>> answers = Shop.atOnce(10, () -> {
            HttpResponse<String> answer = shop.get(client, "/search?q=lamp");
            if (answer.statusCode() == 200) {
                admitted.add((System.nanoTime() - start) / 1_000_000);
            }
            return answer;
        });

        // half a second apart behind the first three; one more is let in for each half second that sending took
        assertThat(admitted).hasSizeBetween(7, 9);
        List<Long> order = admitted.stream().sorted().toList();
        for (int i = 3; i < order.size(); i++) {
            assertThat(order.get(i)).isGreaterThanOrEqualTo((i - 2) * 500L);
        }
        assertThat(answers).filteredOn(answer -> answer.statusCode() != 200).allSatisfy(refused -> {
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(Shop.retryAfter(refused)).isEqualTo(1);
            assertThat(Shop.json(refused).path("violated-policies")).hasToString("[\"search\"]");
        });
        assertThat(shop.report().at("/zones/search/decisions/delayed").asLong()).isGreaterThanOrEqualTo(4);
    }

    @Test
    void searchWhenDelayedThenAnswersLikeAnyOther() {
        Set<String> bodies = new HashSet<>();

        Shop.atOnce(6, () -> shop.get(client, "/search?q=lamp")).forEach(answer -> bodies.add(answer.body()));

        assertThat(bodies).hasSize(1).first().asString().contains("Brass desk lamp");
    }

    @Test
    void reportWhenTwoAreRunningThenAThirdIsRefusedAndOneThatEndsMakesRoom() throws IOException {
        HttpResponse<InputStream> first = shop.report(client, 2024);
        HttpResponse<InputStream> second = shop.report(client, 2025);

        HttpResponse<String> third = shop.get(client, "/reports/2026");

        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(second.statusCode()).isEqualTo(200);
        assertThat(third.statusCode()).isEqualTo(429);
        assertThat(Shop.retryAfter(third)).isEqualTo(1);
        assertThat(Shop.json(third).path("violated-policies")).hasToString("[\"reports\"]");
        assertThat(new String(first.body().readAllBytes(), StandardCharsets.US_ASCII).lines())
                .hasSize(12)
                .first()
                .asString()
                .startsWith("2024-01,");
        second.body().readAllBytes();
        await().untilAsserted(() -> assertThat(
                        shop.report("reports", client).path("remaining").asInt())
                .isEqualTo(2));
    }

    @Test
    void reportWhenItsReaderHangsUpThenMakesRoomBeforeItsEnd() throws IOException {
        List<HttpResponse<InputStream>> running = List.of(shop.report(client, 2024), shop.report(client, 2025));
        for (HttpResponse<InputStream> report : running) {
            report.body().close();
        }

        // a report would take three seconds
        await().atMost(Duration.ofSeconds(2))
                .untilAsserted(() -> assertThat(
                                shop.report("reports", client).path("remaining").asInt())
                        .isEqualTo(2));
    }

    @Test
    void reportWhenAnotherClientHasTwoRunningThenOwnOnesStart() {
        Shop.atOnce(2, () -> shop.get(Shop.newClient(), "/reports/2024"))
                .forEach(report -> assertThat(report.statusCode()).isEqualTo(200));
    }

    @Test
    void answersWhenLimitedThenTellWhatIsLeft() {
        HttpResponse<String> first = shop.login(client);
        HttpResponse<String> item = shop.get(client, "/api/items/1");
        HttpResponse<String> whoami = shop.get(client, "/whoami");

        assertThat(first.headers().firstValue("RateLimit-Policy")).hasValue("\"login\";q=5;w=50");
        assertThat(first.headers().firstValue("RateLimit")).hasValue("\"login\";r=4;t=10");
        assertThat(item.headers().firstValue("RateLimit")).hasValue("\"ItemController#item\";r=9;t=1");
        assertThat(whoami.headers().firstValue("RateLimit")).isEmpty();
    }

    @Test
    void itemWhenBeyondTheBurstOfItsAnnotationThenRefusedUnderTheMethodsName() {
        HttpResponse<String> refused = untilRefused(() -> shop.get(client, "/api/items/1"));

        assertThat(Shop.retryAfter(refused)).isEqualTo(1);
        assertThat(Shop.json(refused).path("violated-policies")).hasToString("[\"ItemController#item\"]");
    }

    @Test
    void flashSaleWhenOneCustomerCallsFromManyAddressesThenOneBudget() {
        HttpResponse<String> refused = untilRefused(() -> shop.buy(Shop.newClient(), "miser"));

        assertThat(Shop.json(refused).path("violated-policies")).hasToString("[\"seckill\"]");
        assertThat(shop.buy(client, "neighbour").statusCode()).isEqualTo(200);
    }

    @Test
    void flashSaleWhenNoCustomerIsNamedThenCountedByAddress() {
        untilRefused(() -> shop.buy(client, ""));

        assertThat(shop.buy(Shop.newClient(), "").statusCode()).isEqualTo(200);
    }

    @Test
    void pictureWhenFullThenThreeMegabytesAndWhenThumbnailThenSmall() {
        assertThat(shop.get(client, "/images/mug.bmp").headers().firstValueAsLong("Content-Length"))
                .hasValue(3 * 1024 * 1024 + 54);
        assertThat(shop.get(client, "/images/mug-thumb.bmp").headers().firstValueAsLong("Content-Length"))
                .hasValue(3 * 64 * 64 + 54);
    }

    @Test
    void pageWhenOpenedThenServedWithNothingFromElsewhere() {
        HttpResponse<String> page = shop.get(client, "/");

        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.headers().firstValue("Content-Type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("text/html"));
        assertThat(page.body()).contains("10 at once").doesNotContainPattern("(src|href)=.?(https?:)?//");
    }

    @Test
    void whoamiWhenAskedThenTellsThePeer() {
        assertThat(Shop.json(shop.get("/whoami")).path("address").asString())
                .matches("127\\.0\\.0\\.1|0:0:0:0:0:0:0:1");
    }

    private void spendLogin(String address) {
        statuses(LOGIN_BURST, () -> shop.login(address));
        assertThat(shop.login(address).statusCode()).isEqualTo(429);
    }

    private static List<Integer> statuses(int times, Supplier<HttpResponse<String>> request) {
        return Stream.generate(request)
                .limit(times)
                .map(HttpResponse::statusCode)
                .toList();
    }

    /** The first refusal; a few more than the burst may pass before it, for the quota refills meanwhile. */
    private static HttpResponse<String> untilRefused(Supplier<HttpResponse<String>> request) {
        return Stream.generate(request)
                .limit(200)
                .filter(response -> response.statusCode() == 429)
                .findFirst()
                .orElseThrow(() -> new AssertionError("200 requests, and none was refused"));
    }
}
