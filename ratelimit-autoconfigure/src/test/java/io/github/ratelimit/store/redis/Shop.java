package io.github.ratelimit.store.redis;

import io.github.ratelimit.fixture.WebServer;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** An application with limits that are shared. */
final class Shop {

    private Shop() {}

    @RestController
    static class Api {

        @GetMapping({"/api", "/free", "/other", "/brief", "/banned"})
        String get() {
            return "ok";
        }

        /** What time this instance thinks it is, by every way to ask. */
        @GetMapping("/now")
        String now() {
            return System.currentTimeMillis() + " " + Instant.now().toEpochMilli() + " "
                    + InstantSource.system().millis() + " " + new Date().getTime();
        }

        @GetMapping("/slow")
        String slow() throws InterruptedException {
            Thread.sleep(1_000);
            return "ok";
        }
    }

    /** Starts one whose rule for /api charges the zone. */
    static WebServer start(int redisPort, String zone, String... more) {
        return start(redisPort, zone, List.of(), more);
    }

    /** Starts one that has more to it. */
    static WebServer start(int redisPort, String zone, List<Class<?>> sources, String... more) {
        return startWith("host: 127.0.0.1, port: " + redisPort, zone, sources, more);
    }

    /** Starts one on the nodes of a cluster. */
    static WebServer startOn(String nodes, String zone, String... more) {
        return startWith("cluster.nodes: '" + nodes + "'", zone, List.of(), more);
    }

    private static WebServer startWith(String redis, String zone, List<Class<?>> sources, String... more) {
        List<Class<?>> all = new ArrayList<>(sources);
        all.add(Api.class);
        return WebServer.start(
                WebServer.WITHOUT_SECURITY + """
                spring.application.name: shop
                spring.data.redis: {%s}
                management.endpoints.web.exposure.include: "*"
                server.tomcat.threads.max: 50
                logging.level.io.lettuce: error
                ratelimit:
                  zones: {z: {%s}}
                  rules: [{path: /api, zones: [z]}, {path: /slow, zones: [z]}]
                %s
                """.formatted(redis, zone, String.join("\n", more)),
                all.toArray(Class<?>[]::new));
    }

    /** The statuses of requests by one client, one after the other. */
    static List<Integer> get(WebServer shop, int count, String key) {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            statuses.add(shop.get("/api", "X-K", key).statusCode());
        }
        return statuses;
    }

    /** The statuses of requests by one client, all at once. */
    static List<Integer> getTogether(WebServer shop, int count, String key) {
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            answers.add(shop.getLater("/api", "X-K", key));
        }
        return answers.stream().map(answer -> answer.join().statusCode()).toList();
    }
}
