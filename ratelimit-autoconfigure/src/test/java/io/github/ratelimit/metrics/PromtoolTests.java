package io.github.ratelimit.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.json.JSONArray;
import org.json.JSONObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/**
 * Prometheus itself reads the alert rules and the dashboard's queries, and the alerts fire when they should and only then.
 *
 * <p>Skipped where promtool is not installed; a failure there if the environment has {@code PROMTOOL_REQUIRED=true}.
 */
class PromtoolTests {

    private static final Path RULES = Path.of("..", "docs", "prometheus", "ratelimit-alerts.yml");
    private static final Path DASHBOARD = Path.of("..", "docs", "grafana", "ratelimit-dashboard.json");
    private static final Path SERIES = Path.of("src", "test", "resources", "prometheus", "ratelimit-alerts.test.yml");

    @Test
    void alertsThenPrometheusTakesThem() throws Exception {
        check("check", "rules", RULES.toString());
    }

    @Test
    void alertsWhenSeriesAreCalmOrNotThenFireOnWhatTheyAreFor() throws Exception {
        check("test", "rules", SERIES.toString());
    }

    @Test
    void alertsThenEachIsSeenToFireAndToBeQuiet() throws Exception {
        Set<Object> all = new HashSet<>();
        for (Map<?, ?> group : list(yaml(RULES), "groups")) {
            list(group, "rules").forEach(rule -> all.add(rule.get("alert")));
        }
        Set<Object> fired = new HashSet<>();
        Set<Object> quiet = new HashSet<>();
        for (Map<?, ?> test : list(yaml(SERIES), "tests")) {
            for (Map<?, ?> expected : list(test, "alert_rule_test")) {
                (list(expected, "exp_alerts").isEmpty() ? quiet : fired).add(expected.get("alertname"));
            }
        }
        assertThat(all).isNotEmpty();
        assertThat(fired).isEqualTo(all);
        assertThat(quiet).isEqualTo(all);
    }

    @Test
    void dashboardThenPrometheusUnderstandsEveryQuery(@TempDir Path directory) throws Exception {
        List<Map<String, String>> rules = new ArrayList<>();
        JSONArray panels = new JSONObject(Files.readString(DASHBOARD)).getJSONArray("panels");
        for (int i = 0; i < panels.length(); i++) {
            JSONArray targets = panels.getJSONObject(i).getJSONArray("targets");
            for (int j = 0; j < targets.length(); j++) {
                rules.add(Map.of("record", "panel:" + i + ":" + j, "expr", query(targets.getJSONObject(j))));
            }
        }
        assertThat(rules).hasSizeGreaterThan(10);
        Path file = directory.resolve("dashboard.yml");
        Files.writeString(
                file, new Yaml().dump(Map.of("groups", List.of(Map.of("name", "dashboard", "rules", rules)))));

        check("check", "rules", file.toString());
    }

    /** A panel's query with what Grafana puts in the place of its variables. */
    private static String query(JSONObject target) throws Exception {
        String query =
                target.getString("expr").replace("$__rate_interval", "1m").replace("$zone", ".*");
        assertThat(query).doesNotContain("$");
        return query;
    }

    private void check(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(promtool().toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as("%s", said).isZero();
    }

    private static Path promtool() {
        Optional<Path> binary = Stream.of(System.getenv("PATH").split(":", -1))
                .filter(directory -> !directory.isEmpty())
                .map(directory -> Path.of(directory, "promtool"))
                .filter(Files::isExecutable)
                .findFirst();
        if ("true".equals(System.getenv("PROMTOOL_REQUIRED"))) {
            assertThat(binary).as("promtool, which PROMTOOL_REQUIRED asks for").isPresent();
        }
        assumeThat(binary)
                .as("promtool is not installed, so there is nothing to check with")
                .isPresent();
        return binary.orElseThrow();
    }

    private static Map<?, ?> yaml(Path file) throws IOException {
        return new Yaml().load(Files.readString(file));
    }

    private static List<Map<?, ?>> list(Map<?, ?> parent, String name) {
        List<Map<?, ?>> children = new ArrayList<>();
        for (Object child : (List<?>) Objects.requireNonNull(parent.get(name), name)) {
            children.add((Map<?, ?>) child);
        }
        return children;
    }
}
