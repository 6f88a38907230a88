package io.github.ratelimit.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Writes {@code docs/benchmarks.md} from what {@code run.sh} has measured. */
public final class Report {

    private final Path results;
    private final StringBuilder out = new StringBuilder();

    private Report(Path results) {
        this.results = results;
    }

    /**
     * Prints the page.
     *
     * @param args the folder of the results
     */
    public static void main(String[] args) throws IOException {
        Report report = new Report(Path.of(args[0]));
        report.write();
        System.out.print(report.out);
    }

    private void write() throws IOException {
        line("# Benchmarks");
        line("");
        line(
                "Measured by `benchmarks/run.sh`, which writes this page: run it on your machine, and compare ratios rather than figures. Averages of JMH, medians");
        line("of rounds elsewhere; the contenders of each part in one run.");
        line("");
        lines("machine.txt");
        decisions("decisions-1.json", "One decision, one thread");
        decisions("decisions-2.json", "One decision, two threads");
        refusals();
        memory();
        flood();
        filter();
        rules();
        parts("keys.json", "Finding the limit of a key", """
                A zone with one limit; one where 10,000 addresses and 10,000 blocks have limits of their own; one with a schedule.""");
        parts("observation.json", "Observing", """
                What a decision pays for `advice` (`few` keys, all of them followed; a million, `many`, of which a sample is), beside one look at the wall clock; what a refusal pays
                for `topRejected` and `recentRejections`.""");
        profile();
        endpoint();
        shared();
    }

    private void decisions(String file, String title) throws IOException {
        line("");
        line("## " + title);
        line("");
        line(
                "Nanoseconds per draw on a known key, in brackets the share of bucket4j's; keys are made beforehand. *hot*: one key; *uniform* and *zipf*: a million keys.");
        line(
                "`map` is the floor: a look-up in a ConcurrentHashMap, a reading of the clock and one compare-and-set; nothing ever leaves it.");
        line("");
        line("| limiter | hot | uniform | zipf | allocated per draw |");
        line("|---|---:|---:|---:|---:|");
        Map<String, Map<String, JsonNode>> table = new TreeMap<>();
        for (JsonNode run : json(file)) {
            JsonNode params = run.get("params");
            table.computeIfAbsent(params.get("limiter").asString(), name -> new TreeMap<>())
                    .put(params.get("turn").asString(), run);
        }
        Map<String, JsonNode> peer = Objects.requireNonNull(table.get("BUCKET4J"));
        for (Peer.Name name : Peer.Name.values()) {
            Map<String, JsonNode> runs = Objects.requireNonNull(table.get(name.name()));
            StringBuilder row = new StringBuilder("| " + name.name().toLowerCase(Locale.ROOT) + " |");
            for (String turn : List.of("HOT", "UNIFORM", "ZIPF")) {
                double nanos = score(runs.get(turn));
                row.append(String.format(Locale.ROOT, " %.0f (%.2f) |", nanos, nanos / score(peer.get(turn))));
            }
            row.append(String.format(Locale.ROOT, " %.0f B |", Math.abs(allocated(runs.get("HOT")))));
            line(row.toString());
        }
    }

    private void refusals() throws IOException {
        line("");
        line("## Admissions and refusals, one key, one thread");
        line("");
        line("| algorithm | admitted, ns | refused, ns | allocated by an admission | by a refusal |");
        line("|---|---:|---:|---:|---:|");
        Map<String, Map<String, JsonNode>> table = new TreeMap<>();
        for (JsonNode run : json("refusals.json")) {
            String name = run.get("benchmark").asString();
            table.computeIfAbsent(run.get("params").get("algorithm").asString(), algorithm -> new TreeMap<>())
                    .put(name.substring(name.lastIndexOf('.') + 1), run);
        }
        table.forEach((algorithm, runs) -> line(String.format(
                Locale.ROOT,
                "| %s | %.0f | %.0f | %.0f B | %.0f B |",
                algorithm,
                score(runs.get("admitted")),
                score(runs.get("refused")),
                Math.abs(allocated(runs.get("admitted"))),
                Math.abs(allocated(runs.get("refused"))))));
    }

    private void memory() throws IOException {
        line("");
        line("## Heap per key");
        line("");
        line("A million IPv4 keys, everything included; each limiter in a JVM of its own.");
        line("");
        line("| limiter | bytes per key |");
        line("|---|---:|");
        for (String row : text("memory.txt")) {
            line("| " + row.replace(" ", " | ") + " |");
        }
    }

    private void flood() throws IOException {
        line("");
        line("## A flood");
        line("");
        line(
                "A million distinct addresses at a bound of 10,000 keys, in a heap of 64 MB, beside a zone with 5,000 known keys; then silence.");
        line("");
        lines("flood.txt");
    }

    private void filter() throws IOException {
        line("");
        line("## The filter in a whole application");
        line("");
        line(
                "One endpoint in Tomcat that says hello, `headers: draft-11`, driven by `wrk` over 16 connections on the same machine: the server's processor time per request.");
        line("");
        line("| limiter | CPU per request, us | more than without | requests/s | share |");
        line("|---|---:|---:|---:|---:|");
        double none = 0;
        double perSecond = 0;
        for (String row : text("filter.txt")) {
            String[] columns = row.split(" ", -1);
            double micros = Double.parseDouble(columns[1]);
            double rate = Double.parseDouble(columns[2]);
            none = none == 0 ? micros : none;
            perSecond = perSecond == 0 ? rate : perSecond;
            line(String.format(
                    Locale.ROOT,
                    "| %s | %.1f | %+.1f | %.0f | %.2f |",
                    columns[0],
                    micros,
                    micros - none,
                    rate,
                    rate / perSecond));
        }
    }

    private void rules() throws IOException {
        line("");
        line("## Finding a rule");
        line("");
        line("| rules | hit, ns | miss, ns |");
        line("|---:|---:|---:|");
        Map<Integer, Map<String, JsonNode>> table = new TreeMap<>();
        for (JsonNode run : json("rules.json")) {
            String name = run.get("benchmark").asString();
            table.computeIfAbsent(
                            Integer.parseInt(run.get("params").get("rules").asString()), rules -> new TreeMap<>())
                    .put(name.substring(name.lastIndexOf('.') + 1), run);
        }
        table.forEach((rules, runs) -> line(String.format(
                Locale.ROOT, "| %,d | %.0f | %.0f |", rules, score(runs.get("hit")), score(runs.get("miss")))));
    }

    /** One row for each method of a class of benchmarks. */
    private void parts(String file, String title, String text) throws IOException {
        line("");
        line("## " + title);
        line("");
        line(text);
        line("");
        line("| | ns | allocated |");
        line("|---|---:|---:|");
        for (JsonNode run : json(file)) {
            String name = run.get("benchmark").asString();
            line(String.format(
                    Locale.ROOT,
                    "| %s | %.0f | %.0f B |",
                    name.substring(name.lastIndexOf('.') + 1),
                    score(run),
                    Math.abs(allocated(run))));
        }
    }

    private void endpoint() throws IOException {
        line("");
        line("## The endpoint, at 200,000 live keys");
        line("");
        line(
                "The sample with a zone of 200,000 keys, on a machine that server, load and asker share: what a question takes, what it costs the server (`cpu-us`, HTTP, Spring and");
        line(
                "the compiler included), and what requests beside it wait for, 500 of them a second, each timed from when it was due. `operator`: the console left open (all zones and one zone every two");
        line(
                "seconds), meters and health every five: eight questions beside 2,500 requests. `ten-a-second`: the five questions in turn; of control: `/actuator/info`, which knows");
        line(
                "nothing of limits and answers `{}`. `quiet-again` is as quiet as `quiet`: what it differs by is chance. The paces take turns within each round; medians of the rounds, in");
        line("brackets the least and the most.");
        line("");
        lines("endpoint.txt");
    }

    private void shared() throws IOException {
        line("");
        line("## One decision over Redis");
        line("");
        line(
                "64 threads that wait for each decision, 100,000 keys or one, made beforehand; Redis and the threads share the machine. What the figures mean is told in [distributed.md](distributed.md).");
        line("");
        lines("shared.txt");
    }

    private void profile() throws IOException {
        line("");
        line("## Where the time goes");
        line("");
        line(
                "Flight recorder samples of threads that serve requests, in the run with the filter that admits; the frames of the limiter count with what they call, short of");
        line("the application behind the filter.");
        line("");
        lines("profile.txt");
    }

    private static double score(@Nullable JsonNode run) {
        return Objects.requireNonNull(run).get("primaryMetric").get("score").asDouble();
    }

    private static double allocated(@Nullable JsonNode run) {
        JsonNode metrics = Objects.requireNonNull(run).get("secondaryMetrics");
        return metrics.get("gc.alloc.rate.norm").get("score").asDouble();
    }

    private List<JsonNode> json(String file) throws IOException {
        List<JsonNode> runs = new ArrayList<>();
        new JsonMapper().readTree(Files.readString(results.resolve(file))).forEach(runs::add);
        return runs;
    }

    private List<String> text(String file) throws IOException {
        return Files.readAllLines(results.resolve(file)).stream()
                .filter(row -> !row.isBlank())
                .toList();
    }

    private void lines(String file) throws IOException {
        line("```");
        text(file).forEach(this::line);
        line("```");
    }

    private void line(String text) {
        out.append(text).append('\n');
    }
}
