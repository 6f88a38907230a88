package io.github.ratelimit.metrics;

import static io.github.ratelimit.fixture.LimiterFixture.zone;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.algorithm.LeakyBucket;
import io.github.ratelimit.algorithm.Penalty;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.fixture.LimiterFixture;
import io.github.ratelimit.policy.Sharing;
import io.github.ratelimit.policy.Sharing.OnFailure;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.policy.Zone.WhenFull;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.json.JSONArray;
import org.json.JSONObject;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

/** Dashboard, alerts and guide name only what a scrape really shows. */
class MonitoringDocsTests {

    private static final Path DOCS = Path.of("..", "docs");
    private static final Pattern SELECTOR = Pattern.compile("(ratelimit_[a-z_]+)(?:\\{([^}]*)})?");
    private static final Pattern MATCHER = Pattern.compile("([a-z_]+)(=~|!=|=)\"([^\"]*)\"");

    private final LimiterFixture fixture = new LimiterFixture();
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private String scrape = "";

    @BeforeEach
    void scrape() {
        long second = 1_000_000_000L;
        Zone plain = zone("plain", "1/m", 1);
        Zone slow = new Zone("slow", plain.key(), LeakyBucket.of(Rate.parse("1/s"), 5, 0), 9, WhenFull.SHARE, false);
        fixture.enforce(List.of(
                plain.punishing(new Penalty(5, second, second, 2, second, 9)),
                slow,
                zone("shared", "1/m", 1).shared(new Sharing(OnFailure.LOCAL, null, 1))));
        new RateLimitMeters(fixture.policies(), fixture.limiter()).bindTo(registry);
        new KeyResolverMeters(List.of("tenant"), name -> 0).bindTo(registry);
        scrape = registry.scrape();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"grafana/ratelimit-dashboard.json", "prometheus/ratelimit-alerts.yml", "monitoring.md"})
    void documentThenEveryMeterItNamesIsInTheScrape(String document) throws IOException {
        Set<String> named = names(Files.readString(DOCS.resolve(document)));
        assertThat(named).isNotEmpty();
        assertThat(exposed()).containsAll(named);
    }

    @Test
    void dashboardThenIsOneThatGrafanaCanBeProvisionedWith() throws Exception {
        JSONObject dashboard = new JSONObject(Files.readString(DOCS.resolve("grafana/ratelimit-dashboard.json")));
        assertThat(dashboard.getString("uid")).isNotBlank();
        assertThat(dashboard.getString("title")).isNotBlank();
        assertThat(dashboard.has("__inputs"))
                .as("inputs are asked for at import, and by nobody when provisioned")
                .isFalse();
        JSONArray panels = dashboard.getJSONArray("panels");
        Set<Integer> ids = new HashSet<>();
        for (int i = 0; i < panels.length(); i++) {
            assertThat(ids.add(panels.getJSONObject(i).getInt("id"))).isTrue();
            assertThat(panels.getJSONObject(i).getJSONObject("datasource").getString("uid"))
                    .isEqualTo("${datasource}");
        }
        Set<String> shown = names(dashboard.toString());
        assertThat(shown)
                .contains(
                        "ratelimit_decisions_total",
                        "ratelimit_zone_keys",
                        "ratelimit_zone_max_keys",
                        "ratelimit_zone_shared_total",
                        "ratelimit_bans_total",
                        "ratelimit_delay_seconds_sum",
                        "ratelimit_store_seconds_count");
        assertSelectors(expressions(panels));
    }

    @Test
    void alertsThenAreRulesForWhatMatters() throws IOException {
        Map<String, List<Map<String, Object>>> file =
                new Yaml().load(Files.readString(DOCS.resolve("prometheus/ratelimit-alerts.yml")));
        List<String> expressions = new ArrayList<>();
        List<String> alerts = new ArrayList<>();
        for (Map<String, Object> group : file.getOrDefault("groups", List.of())) {
            for (Object rule : (List<?>) group.getOrDefault("rules", List.of())) {
                Map<?, ?> fields = (Map<?, ?>) rule;
                alerts.add(String.valueOf(fields.get("alert")));
                expressions.add(String.valueOf(fields.get("expr")));
                assertThat((Map<?, ?>) fields.get("annotations")).isNotEmpty();
            }
        }
        assertThat(alerts)
                .contains(
                        "RateLimitZoneFull",
                        "RateLimitStoreFailingOver",
                        "RateLimitRejectionsRising",
                        "RateLimitRedisRejectionsStopped",
                        "RateLimitBans");
        assertThat(Files.readString(DOCS.resolve("monitoring.md"))).contains(alerts);
        assertSelectors(expressions);
    }

    /** Each label of a selector is one that the meter has, and each value that is written out one that it takes. */
    private void assertSelectors(List<String> expressions) {
        for (String expression : expressions) {
            Matcher selector = SELECTOR.matcher(expression);
            while (selector.find()) {
                if (selector.group(2) == null) {
                    continue;
                }
                Matcher matcher = MATCHER.matcher(selector.group(2));
                while (matcher.find()) {
                    String label = matcher.group(1);
                    for (String value : matcher.group(3).split("\\|", -1)) {
                        String wanted = value.startsWith("$") ? "" : value + "\"";
                        assertThat(scrape.lines())
                                .as(expression)
                                .anyMatch(line -> line.startsWith(selector.group(1) + "{")
                                        && line.contains(label + "=\"" + wanted));
                    }
                }
            }
        }
    }

    private static List<String> expressions(JSONArray panels) throws Exception {
        List<String> expressions = new ArrayList<>();
        for (int i = 0; i < panels.length(); i++) {
            JSONArray targets = panels.getJSONObject(i).getJSONArray("targets");
            for (int j = 0; j < targets.length(); j++) {
                expressions.add(targets.getJSONObject(j).getString("expr"));
            }
        }
        return expressions;
    }

    private static Set<String> names(String text) {
        Set<String> names = new TreeSet<>();
        Matcher matcher = SELECTOR.matcher(text);
        while (matcher.find()) {
            names.add(matcher.group(1));
        }
        return names;
    }

    private Set<String> exposed() {
        Set<String> names = new TreeSet<>();
        scrape.lines()
                .filter(line -> !line.startsWith("#"))
                .forEach(line ->
                        names.add(line.substring(0, line.indexOf('{') < 0 ? line.indexOf(' ') : line.indexOf('{'))));
        return names;
    }
}
