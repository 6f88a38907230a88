package io.github.ratelimit.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Dashboard and alert rules ask for nothing that the running shop does not export. */
class MonitoringIT {

    /** What is no name of a metric: labels and their values, times, labels to group by. */
    private static final Pattern BESIDE =
            Pattern.compile("\\{[^}]*}|\\[[^]]*]|\\b(?:by|without|on|ignoring) *\\([^)]*\\)");

    /** A word with an underscore that is not called as a function. */
    private static final Pattern METRIC = Pattern.compile("\\b[a-z]+(?:_[a-z]+)+\\b(?! *\\()");

    private static final Pattern EXPORTED = Pattern.compile("(?m)^[a-z_]+");

    @Test
    void prometheusWhenEveryKindOfZoneIsInUseThenExportsWhatDashboardAndAlertsAskFor() {
        Set<String> asked = Stream.of(dashboard(), alerts())
                .flatMap(Function.identity())
                .map(expression -> BESIDE.matcher(expression).replaceAll(" "))
                .flatMap(expression -> METRIC.matcher(expression).results())
                .map(MatchResult::group)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(asked).contains("ratelimit_decisions_total", "ratelimit_bans_total", "ratelimit_store_seconds_max");

        // nothing listens where Redis is said to be
        try (Sample sample = Sample.start(
                "spring.data.redis.port=1",
                "ratelimit.zones.login.store=redis",
                "ratelimit.zones.login.penalty.after=2")) {
            Shop shop = new Shop(sample.port());
            String client = Shop.newClient();
            for (int i = 0; i < 8; i++) {
                shop.login(client);
            }
            String scrape = shop.get("/actuator/prometheus").body();
            assertThat(EXPORTED.matcher(scrape).results().map(MatchResult::group))
                    .containsAll(asked);
        }
    }

    private static Stream<String> dashboard() {
        JsonNode dashboard = new JsonMapper().readTree(Documentation.text("docs/grafana/ratelimit-dashboard.json"));
        return StreamSupport.stream(dashboard.path("panels").spliterator(), false)
                .flatMap(panel -> StreamSupport.stream(panel.path("targets").spliterator(), false))
                .map(target -> target.path("expr").asString());
    }

    private static Stream<String> alerts() {
        JsonNode rules = new JsonMapper()
                .valueToTree(new Yaml().load(Documentation.text("docs/prometheus/ratelimit-alerts.yml")));
        return StreamSupport.stream(rules.path("groups").spliterator(), false)
                .flatMap(group -> StreamSupport.stream(group.path("rules").spliterator(), false))
                .map(rule -> rule.path("expr").asString());
    }
}
