package io.github.ratelimit.benchmarks;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Prints how long the endpoint takes to answer when 200,000 keys are held, what a question costs the server, that it
 * changes nothing, and what requests beside it wait for: while nobody asks (twice, which tells what is chance), while an
 * operator has the console open and meters are scraped, while ten questions a second are asked, and while ten a second are
 * asked that have nothing to do with limits.
 * The traffic is open: 500 requests a second, each timed from when it was due. Load and questions come from this JVM,
 * on the machine that the server runs on.
 */
public final class EndpointCost {

    private static final int KEYS = 200_000;
    private static final int SENDERS = 8;
    private static final int PER_SECOND = 500;
    private static final int SECONDS = 5;
    private static final int QUIET_QUESTIONS = 500;
    private static final int COSTED_QUESTIONS = 250;
    private static final String ALL_ZONES = "/actuator/ratelimit";
    private static final String ONE_ZONE = ALL_ZONES + "/" + Shop.ZONE;
    private static final String ONE_KEY = ONE_ZONE + "/" + Shop.address(1);
    private static final String HEALTH = "/actuator/health";
    private static final String METERS = "/actuator/prometheus";
    private static final List<String> QUESTIONS = List.of(ALL_ZONES, ONE_ZONE, ONE_KEY, HEALTH, METERS);

    /** Answered by Spring Boot with {@code {}}: what it costs to be asked at all. */
    private static final String CONTROL = "/actuator/info";

    /** The console asks for all zones and then for the one it shows every two seconds; meters and health are asked for besides. */
    private static final Pace OPERATOR = new Pace(
            "operator",
            List.of(
                    new Pace.Turn(ALL_ZONES, Duration.ZERO, Duration.ofSeconds(2)),
                    new Pace.Turn(ONE_ZONE, Duration.ZERO, Duration.ofSeconds(2)),
                    new Pace.Turn(METERS, Duration.ofMillis(500), Duration.ofSeconds(5)),
                    new Pace.Turn(HEALTH, Duration.ofMillis(1_500), Duration.ofSeconds(5))));

    private static final List<Pace> PACES = List.of(
            Pace.QUIET,
            new Pace("quiet-again", List.of()),
            OPERATOR,
            Pace.tenASecond("ten-a-second", QUESTIONS),
            Pace.tenASecond("ten-a-second-of-control", List.of(CONTROL)));

    private final HttpClient load = Shop.client();
    private final HttpClient operator = Shop.client();
    private final ExecutorService senders = Executors.newFixedThreadPool(SENDERS);
    private final Shop shop;
    private final int rounds;

    private EndpointCost(Shop shop, int rounds) {
        this.shop = shop;
        this.rounds = rounds;
    }

    /**
     * Measures.
     *
     * @param args the jar of the sample shop; how many rounds; then {@code each} to ask each question alone, ten times a
     *     second, instead of at the paces above
     */
    public static void main(String[] args) throws IOException {
        try (Shop shop = Shop.start(Path.of(args[0]))) {
            EndpointCost cost = new EndpointCost(shop, Integer.parseInt(args[1]));
            try {
                cost.measure(args.length > 2 && args[2].equals("each") ? each() : PACES);
            } finally {
                cost.senders.shutdownNow();
            }
        }
    }

    private static List<Pace> each() {
        return Stream.concat(
                        Stream.of(Pace.QUIET),
                        Stream.concat(Stream.of(CONTROL), QUESTIONS.stream())
                                .map(question -> Pace.tenASecond(question, List.of(question))))
                .toList();
    }

    private void measure(List<Pace> paces) {
        together(sender -> {
            for (int key = sender; key < KEYS; key += SENDERS) {
                visit(key);
            }
            return new long[0];
        });
        System.out.println("live-keys " + zone().path("keys").asLong());
        for (String question : QUESTIONS) {
            System.out.printf(Locale.ROOT, "first-ms %s %.1f%n", question, ask(question) / 1e6);
        }
        changeNothing();
        compareCosts();
        compareTraffic(paces);
    }

    private void changeNothing() {
        JsonNode before = zone();
        int left = left();
        for (int i = 0; i < QUIET_QUESTIONS; i++) {
            ask(QUESTIONS.get(i % QUESTIONS.size()));
        }
        JsonNode after = zone();
        for (String each : List.of("keys", "decisions", "rejections")) {
            if (!before.path(each).equals(after.path(each))) {
                throw new IllegalStateException(before + " has become " + after);
            }
        }
        if (left != left()) {
            throw new IllegalStateException("A key has " + left() + " permits left instead of " + left);
        }
        System.out.println("changed-by-" + QUIET_QUESTIONS + "-questions nothing");
    }

    /** The server's processor time for each question, everything that HTTP and Spring do for it included. */
    private void compareCosts() {
        List<String> all = Stream.concat(Stream.of(CONTROL), QUESTIONS.stream()).toList();
        Map<String, Long> nanos = new LinkedHashMap<>();
        // the first round warms up
        for (int round = 0; round <= rounds; round++) {
            for (String question : all) {
                Duration before = shop.cpu();
                for (int i = 0; i < COSTED_QUESTIONS; i++) {
                    ask(question);
                }
                if (round > 0) {
                    nanos.merge(question, shop.cpu().minus(before).toNanos(), Long::sum);
                }
            }
        }
        nanos.forEach((question, sum) ->
                System.out.printf(Locale.ROOT, "cpu-us %s %.0f%n", question, sum / 1e3 / rounds / COSTED_QUESTIONS));
    }

    private void compareTraffic(List<Pace> paces) {
        Map<String, List<Long>> asked = new LinkedHashMap<>();
        Map<Pace, List<long[]>> traffic = new LinkedHashMap<>();
        paces.forEach(pace -> traffic.put(pace, new ArrayList<>()));
        // the first round warms up; which pace comes first takes turns
        for (int round = 0; round <= rounds; round++) {
            for (int i = 0; i < paces.size(); i++) {
                Pace pace = paces.get((round + i) % paces.size());
                long[] nanos = beside(pace, round > 0 ? asked : new LinkedHashMap<>());
                if (round > 0) {
                    Objects.requireNonNull(traffic.get(pace)).add(nanos);
                }
            }
        }
        asked.forEach(EndpointCost::printAsked);
        List<long[]> quiet = Objects.requireNonNull(traffic.get(Pace.QUIET));
        traffic.forEach((pace, rounds) -> printTraffic(pace, rounds, quiet));
    }

    /** What the traffic takes while somebody asks at this pace, sorted. */
    private long[] beside(Pace pace, Map<String, List<Long>> asked) {
        CompletableFuture<long[]> traffic = CompletableFuture.supplyAsync(this::traffic);
        pace.askUntil(
                traffic::isDone,
                question -> asked.computeIfAbsent(question, first -> new ArrayList<>())
                        .add(ask(question)));
        return traffic.join();
    }

    /** What each request took from when it was due, sorted. */
    private long[] traffic() {
        long start = System.nanoTime();
        long interval = 1_000_000_000L * SENDERS / PER_SECOND;
        return together(sender -> {
            Random keys = new Random(sender);
            long[] nanos = new long[PER_SECOND * SECONDS / SENDERS];
            for (int i = 0; i < nanos.length; i++) {
                long due = start + i * interval + sender * interval / SENDERS;
                while (System.nanoTime() < due) {
                    LockSupport.parkNanos(due - System.nanoTime());
                }
                visit(keys.nextInt(KEYS));
                nanos[i] = System.nanoTime() - due;
            }
            return nanos;
        });
    }

    private long[] together(IntFunction<long[]> work) {
        List<CompletableFuture<long[]>> all = IntStream.range(0, SENDERS)
                .mapToObj(sender -> CompletableFuture.supplyAsync(() -> work.apply(sender), senders))
                .toList();
        return all.stream()
                .flatMapToLong(each -> Arrays.stream(each.join()))
                .sorted()
                .toArray();
    }

    private void visit(int key) {
        int status = shop.get(load, "/whoami", Shop.address(key)).statusCode();
        if (status != 200) {
            throw new IllegalStateException("A visit was answered with " + status);
        }
    }

    /** The nanoseconds until the whole answer was there. */
    private long ask(String question) {
        long start = System.nanoTime();
        HttpResponse<String> answer = shop.get(operator, question, Shop.address(0));
        long nanos = System.nanoTime() - start;
        if (answer.statusCode() != 200) {
            throw new IllegalStateException(question + " was answered with " + answer.statusCode());
        }
        return nanos;
    }

    private JsonNode zone() {
        return json(ONE_ZONE);
    }

    /** What is left of the quota of the key that is asked about. */
    private int left() {
        return json(ONE_KEY).path("remaining").asInt();
    }

    private JsonNode json(String question) {
        return new JsonMapper()
                .readTree(shop.get(operator, question, Shop.address(0)).body());
    }

    private static long percentile(long[] sorted, int percent) {
        return sorted[(sorted.length - 1) * percent / 100];
    }

    private static void printAsked(String question, List<Long> nanos) {
        long[] sorted = nanos.stream().mapToLong(each -> each).sorted().toArray();
        System.out.printf(
                Locale.ROOT,
                "asked-ms %s p50 %.1f p99 %.1f max %.1f of %d%n",
                question,
                percentile(sorted, 50) / 1e6,
                percentile(sorted, 99) / 1e6,
                percentile(sorted, 100) / 1e6,
                sorted.length);
    }

    /** Medians of the rounds, and of what each round has more than the quiet one beside it. */
    private static void printTraffic(Pace pace, List<long[]> rounds, List<long[]> quiet) {
        long[] middle = rounds.stream()
                .mapToLong(round -> percentile(round, 50))
                .sorted()
                .toArray();
        long[] high = rounds.stream()
                .mapToLong(round -> percentile(round, 99))
                .sorted()
                .toArray();
        String line = String.format(
                Locale.ROOT,
                "traffic-ms %s p50 %.2f p99 %s in %d rounds",
                pace.name(),
                percentile(middle, 50) / 1e6,
                medianAndRange(high, "%.2f"),
                rounds.size());
        if (pace != Pace.QUIET) {
            long[] more = IntStream.range(0, rounds.size())
                    .mapToLong(i -> percentile(rounds.get(i), 99) - percentile(quiet.get(i), 99))
                    .sorted()
                    .toArray();
            line += ", p99 more than quiet " + medianAndRange(more, "%+.2f");
        }
        System.out.println(line);
    }

    private static String medianAndRange(long[] sorted, String number) {
        return String.format(
                Locale.ROOT,
                number + " (" + number + " to " + number + ")",
                percentile(sorted, 50) / 1e6,
                percentile(sorted, 0) / 1e6,
                percentile(sorted, 100) / 1e6);
    }
}
