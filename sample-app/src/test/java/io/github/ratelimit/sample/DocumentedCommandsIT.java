package io.github.ratelimit.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.sample.Documentation.Block;
import io.github.ratelimit.sample.Documentation.Command;
import io.github.ratelimit.sample.Shell.Typed;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What README and guides tell people to type is typed into a real bash, and what they say of it comes.
 *
 * <p>Skipped where curl is not installed; a failure there if the environment has {@code CURL_REQUIRED=true}.
 */
class DocumentedCommandsIT {

    private static final String README = "README.md";
    private static final String ROLLOUT = "docs/rollout.md";
    private static final String WRITABLE = "management.endpoint.ratelimit.access=unrestricted";

    /** What is not typed here, by what it begins with, and why. */
    private static final Map<String, String> NOT_TYPED = Map.of(
            "./mvnw ", "builds, or starts the shop: what is built is tested here, and started by other means",
            "redis-server ", "starts a Redis",
            "benchmarks/run.sh", "measures, for minutes");

    /** The languages of blocks; of these {@code sh} and {@code console} are typed. */
    private static final Set<String> LANGUAGES = Set.of("sh", "console", "yaml", "java", "xml", "");

    private static final JsonMapper JSON = new JsonMapper();

    /** Types the commands of a place in their order. */
    private interface Typing {

        void type(Iterator<Command> commands, Path home) throws IOException;
    }

    /**
     * Commands that belong together.
     *
     * @param heading the section; empty for the whole file
     */
    private record Place(String file, String heading, Typing typing) {

        boolean has(Block block) {
            return block.file().equals(file)
                    && (heading.isEmpty() || block.heading().equals(heading));
        }

        @Override
        public String toString() {
            return file + " " + heading;
        }
    }

    static List<Place> places() {
        return List.of(
                new Place(README, "Try it", DocumentedCommandsIT::tryIt),
                new Place(README, "What an operator sees", DocumentedCommandsIT::operate),
                new Place(ROLLOUT, "", DocumentedCommandsIT::rollOut));
    }

    @ParameterizedTest
    @MethodSource("places")
    void commandsWhenTypedInTheirOrderThenEachDoesWhatTheDocumentSays(Place place, @TempDir Path home)
            throws IOException {
        Iterator<Command> commands = Documentation.blocks().stream()
                .filter(place::has)
                .flatMap(block -> block.commands().stream())
                .filter(command -> !hasReason(command))
                .iterator();

        place.typing().type(commands, home);

        assertThat(commands)
                .as("commands of which nobody knows what should come")
                .isExhausted();
    }

    @Test
    void documentsThenEachCommandIsTypedHereOrHasAReasonNotToBe() {
        List<Command> commands = Documentation.blocks().stream()
                .flatMap(block -> block.commands().stream())
                .toList();
        assertThat(commands).isNotEmpty();
        assertThat(commands)
                .filteredOn(command -> !hasReason(command))
                .filteredOn(command -> places().stream().noneMatch(place -> place.has(command.block())))
                .isEmpty();
    }

    @Test
    void documentsThenCommandsStandWhereTheyAreFound() {
        assertThat(Documentation.blocks()).isNotEmpty().allSatisfy(block -> {
            assertThat(LANGUAGES).as("%s", block).contains(block.language());
            if (block.commands().isEmpty()) {
                assertThat(block.lines()).as("%s", block).noneMatch(line -> line.matches("\\s*(\\$|curl|\\./mvnw) .*"));
            }
        });
    }

    /** A session in which seconds matter: what a busy machine has spoilt is tried again, with a fresh shop. */
    private static void tryIt(Iterator<Command> commands, Path home) throws IOException {
        List<Command> session = new ArrayList<>();
        commands.forEachRemaining(session::add);
        assertThat(session).hasSizeGreaterThan(5);
        for (int attempt = 1; ; attempt++) {
            try {
                typeFresh(session, home);
                return;
            } catch (AssertionError e) {
                if (attempt == 3) {
                    throw e;
                }
            }
        }
    }

    private static void typeFresh(List<Command> session, Path home) throws IOException {
        try (Sample sample = Sample.start()) {
            Shell shell = Shell.open(home, sample.port());
            for (Command command : session) {
                assertThat(command.shown()).as("%s", command).isNotEmpty();
                type(command, shell);
            }
        }
    }

    private static void operate(Iterator<Command> commands, Path home) throws IOException {
        assertThat(Documentation.text(README)).contains("`" + WRITABLE + "`");
        try (Sample sample = Sample.start(WRITABLE)) {
            Shell shell = Shell.open(home, sample.port());
            Shop shop = new Shop(sample.port());
            JsonNode configured = settings(shop, "login");

            Command change = commands.next();
            type(change, shell);
            assertThat(settings(shop, "login").path("rate").asString()).isEqualTo("3/m");
            assertThat(change.comment()).isEqualTo("or burst, maxConcurrent, maxKeys, dryRun");
            typeOther(change, "login", "burst", "9", shell, shop);
            typeOther(change, "login", "maxKeys", "2000", shell, shop);
            typeOther(change, "login", "dryRun", "true", shell, shop);
            typeOther(change, "reports", "maxConcurrent", "7", shell, shop);

            assertThat(settings(shop, "login")).isNotEqualTo(configured);
            Command back = commands.next();
            assertThat(back.comment()).isEqualTo("as configured again");
            type(back, shell);
            assertThat(settings(shop, "login")).isEqualTo(configured);

            String client = "203.0.113.7";
            IntStream.range(0, 6).forEach(i -> shop.login(client));
            assertThat(shop.login(client).statusCode()).isEqualTo(429);
            Command release = commands.next();
            assertThat(release.comment()).isEqualTo("as if it had never come");
            type(release, shell);
            assertThat(shop.report("login", client).path("remaining").asInt()).isEqualTo(5);
        }
    }

    private static void rollOut(Iterator<Command> commands, Path home) throws IOException {
        List<Block> configurations = Documentation.blocks(ROLLOUT, "yaml");
        try (Sample sample = Sample.start(configured(home, configurations.get(0), configurations.get(1)))) {
            observe(commands, Shell.open(home, sample.port()), new Shop(sample.port()));
        }
        try (Sample sample = Sample.start(configured(home, configurations.get(0), configurations.get(2)))) {
            enforce(commands, Shell.open(home, sample.port()), new Shop(sample.port()));
        }
    }

    private static void observe(Iterator<Command> commands, Shell shell, Shop shop) {
        for (int i = 0; i < 3; i++) {
            shop.login(Shop.newClient());
        }

        JsonNode zone =
                JSON.readTree(String.join("", type(commands.next(), shell).output()));

        assertThat(zone.path("keys").isInt()).isTrue();
        assertThat(zone.path("dryRun").asBoolean()).isTrue();
        assertThat(zone.at("/decisions/permitted").asInt()).isEqualTo(3);
        assertThat(zone.at("/advice/observedKeys").asInt()).isEqualTo(3);
        assertThat(zone.path("advice").propertyNames()).contains("p50", "p95", "max", "rate", "burst");
    }

    private static void enforce(Iterator<Command> commands, Shell shell, Shop shop) {
        String client = "203.0.113.9";

        JsonNode key =
                JSON.readTree(String.join("", type(commands.next(), shell).output()));
        assertThat(key.path("key").asString()).isEqualTo("203.0.*.*");
        assertThat(key.path("remaining").asInt()).isEqualTo(60);
        JsonNode configured = settings(shop, "api");
        assertThat(configured.path("dryRun").asBoolean()).isTrue();

        type(commands.next(), shell);
        assertThat(settings(shop, "api").path("dryRun").asBoolean()).isFalse();

        type(commands.next(), shell);
        assertThat(settings(shop, "api").path("dryRun").asBoolean()).isTrue();

        type(commands.next(), shell);
        assertThat(settings(shop, "api").path("rate").asString()).isEqualTo("40/s");
        assertThat(settings(shop, "api").path("burst").asInt()).isEqualTo(120);

        type(commands.next(), shell);
        assertThat(settings(shop, "api")).isEqualTo(configured);

        // caught: by a limit that does not come back by itself within this test
        shop.send(HttpRequest.newBuilder(shop.uri("/actuator/ratelimit/api"))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{\"rate\": \"1/d\", \"burst\": 1, \"dryRun\": false}")));
        shop.login(client);
        assertThat(shop.login(client).statusCode()).isEqualTo(429);
        type(commands.next(), shell);
        assertThat(shop.login(client).statusCode()).isEqualTo(200);
    }

    /** What comes of a command; it has succeeded, and what the document shows has come. */
    private static Typed type(Command command, Shell shell) {
        Typed typed = shell.type(command.text());
        assertThat(typed.exit()).as("%s", command).isZero();
        if (command.shown().isEmpty()) {
            assertThat(typed.statuses()).as("%s", command).isNotEmpty().allMatch(status -> status / 100 == 2);
        } else if (command.text().contains(" & ")) {
            Shown.assertSame(
                    typed.output().stream().sorted().toList(),
                    command.shown().stream().sorted().toList());
        } else {
            Shown.assertSame(typed.output(), command.shown());
        }
        return typed;
    }

    /** The same command with something else to be changed, in that zone. */
    private static void typeOther(Command command, String zone, String name, String value, Shell shell, Shop shop) {
        String other = command.text()
                .replaceAll("'\\{.*}'", "'{\"" + name + "\": " + value + "}'")
                .replace("/login", "/" + zone);
        type(new Command(command.block(), other, List.of()), shell);
        assertThat(settings(shop, zone).path(name).asString()).isEqualTo(value);
    }

    /** What an operator can change of a zone. */
    private static JsonNode settings(Shop shop, String zone) {
        JsonNode report = shop.report().path("zones").path(zone);
        return JSON.createObjectNode()
                .setAll(Map.of(
                        "rate", report.path("rate"),
                        "burst", report.path("burst"),
                        "maxConcurrent", report.path("maxConcurrent"),
                        "maxKeys", report.path("maxKeys"),
                        "dryRun", report.path("dryRun")));
    }

    /** The setting that lays these blocks over the configuration of the shop. */
    private static String configured(Path home, Block... blocks) throws IOException {
        StringBuilder locations = new StringBuilder("spring.config.additional-location=");
        for (Block block : blocks) {
            Path file = home.resolve("line-" + block.line() + ".yml");
            Files.writeString(file, block.text());
            locations.append(file.toUri()).append(',');
        }
        return locations.substring(0, locations.length() - 1);
    }

    private static boolean hasReason(Command command) {
        return NOT_TYPED.keySet().stream().anyMatch(command.text()::startsWith);
    }
}
