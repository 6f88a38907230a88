package io.github.ratelimit.sample;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

/**
 * Not one request too many and not one second too long: with a quota that does not refill while a test runs, and one
 * that soon does.
 */
@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {
            "ratelimit.zones.seckill.rate=1/d",
            "ratelimit.zones.seckill.burst=10",
            "ratelimit.zones.login.rate=30/m",
            "ratelimit.zones.pictures.rate=2/s",
        })
class ExactnessIT {

    private static final int THREADS = 64;
    private static final int REQUESTS = 200;
    private static final int BURST = 10;

    @LocalServerPort
    private int port;

    private final String client = Shop.newClient();
    private Shop shop;

    @BeforeEach
    void open() {
        shop = new Shop(port);
    }

    @RepeatedTest(20)
    void flashSaleWhenANewCustomerCallsFromAllThreadsAtOnceThenExactlyTheBurstIsAdmitted() throws Exception {
        String customer = "customer-" + client;
        int before = keys();

        List<Integer> statuses = atOnce(() -> shop.buy(client, customer).statusCode());

        assertThat(statuses).hasSize(REQUESTS).containsOnly(200, 429);
        assertThat(statuses).filteredOn(status -> status == 200).hasSize(BURST);
        assertThat(shop.report("seckill", customer).path("remaining").asInt()).isZero();
        assertThat(keys()).isEqualTo(before + 1);
    }

    @Test
    void loginWhenRetryAfterHasPassedThenAdmitted() {
        HttpResponse<String> refused = Stream.generate(() -> shop.login(client))
                .limit(50)
                .filter(response -> response.statusCode() == 429)
                .findFirst()
                .orElseThrow();
        long retryAfter = Shop.retryAfter(refused);

        HttpResponse<String> retried = CompletableFuture.supplyAsync(
                        () -> shop.login(client), CompletableFuture.delayedExecutor(retryAfter, SECONDS))
                .join();

        assertThat(retryAfter).isBetween(1L, 2L);
        assertThat(retried.statusCode()).isEqualTo(200);
    }

    @Test
    void pictureWhenSentThenItsBytesArePaid() {
        assertThat(shop.get(client, "/images/mug.bmp").statusCode()).isEqualTo(200);

        // of 60: one at the door, 31 more when the 3,145,782 bytes were sent
        await().untilAsserted(() -> assertThat(left("pictures", client)).isBetween(28, 50));
    }

    @Test
    void thumbnailWhenSentThenOnePermitIsPaid() {
        HttpResponse<String> first = shop.get(client, "/images/mug-thumb.bmp");
        HttpResponse<String> second = shop.get(client, "/images/mug-thumb.bmp");

        assertThat(first.headers().firstValue("RateLimit")).hasValue("\"pictures\";r=59;t=1");
        assertThat(second.headers().firstValue("RateLimit"))
                .hasValueSatisfying(left -> assertThat(left).matches("\"pictures\";r=5[89];t=1"));
    }

    @Test
    void pictureWhenInDebtThenRefusedUntilItIsPaid() {
        Shop.atOnce(2, () -> shop.get(client, "/images/mug.bmp"));
        await().pollInterval(Duration.ofMillis(50)).until(() -> left("pictures", client) == 0);

        HttpResponse<String> refused = shop.get(client, "/images/mug-thumb.bmp");
        long retryAfter = Shop.retryAfter(refused);
        HttpResponse<String> retried = CompletableFuture.supplyAsync(
                        () -> shop.get(client, "/images/mug-thumb.bmp"),
                        CompletableFuture.delayedExecutor(retryAfter, SECONDS))
                .join();

        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(retryAfter).isBetween(1L, 3L);
        assertThat(retried.statusCode()).isEqualTo(200);
    }

    private int left(String zone, String key) {
        return shop.report(zone, key).path("remaining").asInt();
    }

    private int keys() {
        return shop.report().path("zones").path("seckill").path("keys").asInt();
    }

    /** The results of as many requests as there are to be, from threads that start together. */
    private static List<Integer> atOnce(Callable<Integer> request) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            CyclicBarrier start = new CyclicBarrier(THREADS);
            AtomicInteger left = new AtomicInteger(REQUESTS);
            Callable<List<Integer>> client = () -> {
                List<Integer> results = new ArrayList<>();
                start.await(30, SECONDS);
                while (left.getAndDecrement() > 0) {
                    results.add(request.call());
                }
                return results;
            };
            List<Integer> all = new ArrayList<>();
            for (Future<List<Integer>> results : threads.invokeAll(
                    Stream.generate(() -> client).limit(THREADS).toList())) {
                all.addAll(results.get());
            }
            return all;
        } finally {
            threads.shutdownNow();
        }
    }
}
