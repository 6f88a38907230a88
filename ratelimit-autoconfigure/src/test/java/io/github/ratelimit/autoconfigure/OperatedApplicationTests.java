package io.github.ratelimit.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.actuate.RateLimitEndpoint;
import io.github.ratelimit.actuate.RejectionDescriptors.RecentRejection;
import io.github.ratelimit.actuate.ZoneDescriptor;
import io.github.ratelimit.fixture.WebServer;
import io.github.ratelimit.limiter.KeyBanned;
import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.policy.PolicyHolder;
import io.github.ratelimit.policy.Zone;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.event.EventListener;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** What operators and clients see of refusals and bans in a real application. */
class OperatedApplicationTests {

    private static final String YAML = WebServer.WITHOUT_SECURITY + """
            management.endpoints.web.exposure.include: ratelimit
            ratelimit:
              zones:
                strict: { key: "header:X-K", rate: 1/h, burst: 1, penalty: { after: 3, ban: 2h } }
                final: { key: "header:X-K", rate: 1/h, burst: 1, penalty: { after: 3, ban: 10m, permanent-after: 1 } }
                trial: { key: "header:X-K", rate: 1/h, burst: 1, dry-run: true, penalty: { after: 3, ban: 10m } }
                any: { key: "header:X-K", rate: 1/d, burst: 1 }
              rules:
                - { path: /strict, zones: [ strict ] }
                - { path: /final, zones: [ final ] }
                - { path: /trial, zones: [ trial ] }
                - { path: /, zones: [ any ] }
            """;

    private static WebServer server;

    @BeforeAll
    static void start() {
        server = WebServer.start(YAML, Everything.class, Guard.class);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void requestWhenItsKeyIsBannedThen429UntilTheBanEnds() {
        assertThat(statuses("/strict", "alice", 4)).containsExactly(200, 429, 429, 429);
        HttpResponse<String> refusal = server.get("/strict", "X-K", "alice");
        assertThat(refusal.statusCode()).isEqualTo(429);
        assertThat(refusal.headers().firstValueAsLong("Retry-After").orElseThrow())
                .isBetween(7190L, 7200L);
        assertThat(refusal.body()).contains("\"violated-policies\":[\"strict\"]");
        assertThat(server.get("/strict", "X-K", "bob").statusCode()).isEqualTo(200);
        assertThat(server.bean(Guard.class).bans)
                .filteredOn(ban -> ban.zone().equals("strict"))
                .singleElement()
                .satisfies(ban -> assertThat(ban.duration()).isEqualTo(Duration.ofHours(2)));
    }

    @Test
    void requestWhenItsKeyIsBannedForGoodThen429WithoutRetryAfterUntilReleased() {
        statuses("/final", "mallory", 4);
        HttpResponse<String> refusal = server.get("/final", "X-K", "mallory");
        assertThat(refusal.statusCode()).isEqualTo(429);
        assertThat(refusal.headers().firstValue("Retry-After")).isEmpty();
        String shown = server.get("/actuator/ratelimit/final/mallory").body();
        assertThat(shown).contains("\"banned\":true", "\"strikes\":0").doesNotContain("bannedUntil", "retryAfter");

        Zone zone = Objects.requireNonNull(
                server.bean(PolicyHolder.class).get().zones().get("final"));
        server.bean(RateLimiter.class).forget(zone, zone.key().ofRaw("mallory"));
        assertThat(statuses("/final", "mallory", 2)).containsExactly(200, 429);
    }

    @Test
    void requestWhenAZoneIsInDryRunThenNobodyIsKeptOutAndAllOfItIsSeen() {
        assertThat(statuses("/trial", "carol", 8)).containsOnly(200);
        ZoneDescriptor zone = zone("trial");
        assertThat(zone.decisions().dryRunRejected()).isEqualTo(7);
        assertThat(zone.recentRejections()).allMatch(RecentRejection::dryRun);
        assertThat(zone.recentRejections()).extracting(RecentRejection::reason).contains("limit", "penalty");
        assertThat(Objects.requireNonNull(zone.advice()).max()).isPositive();
        assertThat(server.bean(Guard.class).bans)
                .filteredOn(ban -> ban.zone().equals("trial"))
                .singleElement()
                .matches(KeyBanned::dryRun);
    }

    @Test
    void requestWhenRefusedThenIsRememberedAsItCame() {
        server.get("/any/x;y=1", "X-K", "dave");
        server.send("PURGE", "/any/x;y=1?token=secret", null, "X-K", "dave", "User-Agent", "\u00e9\t<b>");
        RecentRejection recent = Objects.requireNonNull(zone("any").recentRejections()).stream()
                .filter(one -> "PURGE".equals(one.method()))
                .findFirst()
                .orElseThrow();
        assertThat(recent.path()).isEqualTo("/any/x;y=1");
        assertThat(recent.rule()).isEqualTo("/");
        assertThat(recent.userAgent()).endsWith("\\u0009<b>");
        assertThat(recent.key()).endsWith("*").doesNotContain("dave");
    }

    @Test
    void metersWhenClientsInventKeysPathsAndVerbsThenNoSeriesIsAdded() {
        server.get("/any", "X-K", "first");
        Set<Meter.Id> before = series();
        for (int i = 0; i < 300; i++) {
            server.get("/any/" + i, "X-K", "key-" + i);
            server.get("/any/" + i, "X-K", "key-" + i);
            server.send("VERB" + i, "/any", null, "X-K", "key-" + i);
        }
        assertThat(series()).isEqualTo(before);
        assertThat(before)
                .flatExtracting(Meter.Id::getTags)
                .extracting(Tag::getValue)
                .containsOnly(
                        "strict",
                        "final",
                        "trial",
                        "any",
                        "local",
                        "permitted",
                        "delayed",
                        "rejected",
                        "dry_run_rejected");
        assertThat(zone("any").decisions().rejected()).isGreaterThanOrEqualTo(600);
    }

    private static List<Integer> statuses(String path, String key, int times) {
        return IntStream.range(0, times)
                .mapToObj(i -> server.get(path, "X-K", key).statusCode())
                .toList();
    }

    private static ZoneDescriptor zone(String name) {
        return Objects.requireNonNull(server.bean(RateLimitEndpoint.class).zone(name));
    }

    private static Set<Meter.Id> series() {
        return server.bean(MeterRegistry.class).getMeters().stream()
                .map(Meter::getId)
                .filter(id -> id.getName().startsWith("ratelimit."))
                .collect(Collectors.toSet());
    }

    @RestController
    static class Everything {

        @RequestMapping({"/strict", "/final", "/trial", "/any/**"})
        String answer() {
            return "ok";
        }
    }

    /** An application that wants to know. */
    static class Guard {

        final List<KeyBanned> bans = new CopyOnWriteArrayList<>();

        @EventListener
        void banned(KeyBanned ban) {
            bans.add(ban);
        }
    }
}
