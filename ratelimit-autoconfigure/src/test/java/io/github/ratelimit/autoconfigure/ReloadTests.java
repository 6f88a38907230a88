package io.github.ratelimit.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.github.ratelimit.fixture.LimiterFixture;
import io.github.ratelimit.method.RateLimitedAnnotationProcessor.Annotated;
import io.github.ratelimit.method.RateLimitedAnnotationProcessor.Claim;
import io.github.ratelimit.policy.Policy;
import io.github.ratelimit.policy.Rule;
import io.github.ratelimit.policy.Zone;
import io.github.ratelimit.store.ChangeStore;
import io.github.ratelimit.store.ZoneChange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.env.MapPropertySource;

/** Configurations that change while the application runs. */
@ExtendWith(OutputCaptureExtension.class)
class ReloadTests {

    private static final String APPLICATION = """
            ratelimit:
              zones:
                login: { rate: 5/m }
                api: { rate: 10/s }
              rules:
                - { path: /api/login, zones: [ login ] }
                - { path: /api, zones: [ api ] }
            """;

    @TempDir
    Path directory;

    private final LimiterFixture fixture = new LimiterFixture();
    private final ChangeStore changes = ChangeStore.inMemory();
    private final TestConfiguration application =
            TestConfiguration.yaml(APPLICATION).commandLine(Map.of("burst.of.login", "4"));
    private final PolicyRefresher refresher =
            new PolicyRefresher(application.surroundings(), fixture.policies(), fixture.limiter(), changes);
    private Path path;
    private ReloadFile file;
    private LimitSources sources;
    private ReloadWatcher watcher;

    @BeforeEach
    void open() {
        prepare(directory.resolve("limits.yml"));
    }

    @AfterEach
    void close() {
        watcher.stop();
        fixture.close();
    }

    @Test
    void lookWhenTheFileChangesThenItsZonesAndRulesReplaceThoseOfTheSameNameOrPath() throws IOException {
        start("ratelimit.zones.login: { rate: 6/m }");
        assertThat(limit("login")).isEqualTo(6);

        write("""
                ratelimit:
                  dry-run: true
                  zones:
                    login: { rate: 7/m, burst: "${burst.of.login}" }
                    more: { rate: 1/s }
                  rules:
                    - { path: /api/, zones: [ more ] }
                    - { path: /new, rate: 3/s }
                """);
        changed();

        assertThat(limit("login")).isEqualTo(4);
        assertThat(limit("api")).isEqualTo(10);
        assertThat(limit("/new")).isEqualTo(3);
        assertThat(policy().dryRun()).isTrue();
        assertThat(policy().rules())
                .extracting(Rule::path, rule -> rule.zones().get(0).name(), Rule::source)
                .containsExactly(
                        tuple("/api/login", "login", "application.yml"),
                        tuple("/api", "more", "limits.yml"),
                        tuple("/new", "/new", "limits.yml"));

        write("");
        changed();
        assertThat(limit("login")).isEqualTo(5);
        assertThat(policy().dryRun()).isFalse();
    }

    @Test
    void lookWhenTheFileIsFaultyThenTheLimitsBeforeItStayAndAllFaultsAreToldOnce(CapturedOutput output)
            throws IOException {
        start("ratelimit.zones.login: { rate: 6/m }");
        Policy before = policy();
        write("""
                ratelimit:
                  zones:
                    login: { rate: 7, burst: many }
                  rulse: []
                  rules: [ { path: /x, zones: [ nosuch ] } ]
                """);
        changed();
        assertThat(watcher.look()).isFalse();

        assertThat(policy()).isSameAs(before);
        assertThat(output.getAll().split("ratelimit.zones.login.rate is '7'", -1))
                .hasSize(2);
        assertThat(output).contains("ratelimit.zones.login.burst is 'many'");
        assertThat(output).contains("ratelimit.rulse is not known", "ratelimit.rules[0].zones[0] is 'nosuch'");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\0', textBlock = """
            ratelimit: [                                      | is no YAML that can be read
            ratelimit.response.status: 430                    | ratelimit.response cannot change while the application runs
            ratelimit.client-ip.trusted-proxies: [10.0.0.0/8] | ratelimit.client-ip cannot change while the application runs
            server.port: 80                                   | server.port is not read from this file
            rate                                              | document is not read from this file
            """)
    void lookWhenTheFileSaysWhatItMayNotThenNothingIsPutInForce(String content, String fault, CapturedOutput output)
            throws IOException {
        start("");
        Policy before = policy();
        write(content);
        changed();

        assertThat(policy()).isSameAs(before);
        assertThat(output).contains(fault);
    }

    @Test
    void lookWhenTheFileRepeatsWhatIsInForceElsewhereThenItIsPutInForce() throws IOException {
        start("");
        write("burst.of.login: 4\nratelimit.zones.login: { rate: 9/m }");
        changed();

        assertThat(limit("login")).isEqualTo(9);
    }

    @Test
    void lookWhenTheFileIsMissingThenTheLimitsStayUntilItComesBack() throws IOException {
        start("ratelimit.zones.login: { rate: 6/m }");
        Files.delete(path);
        assertThat(watcher.look()).isFalse();
        assertThat(watcher.look()).isFalse();
        assertThat(limit("login")).isEqualTo(6);

        write("ratelimit.zones.login: { rate: 8/m }");
        changed();
        assertThat(limit("login")).isEqualTo(8);
    }

    @Test
    void lookWhenTheFileComesAfterTheStartThenItIsPutInForce(CapturedOutput output) throws IOException {
        start(null);
        assertThat(watcher.look()).isFalse();
        assertThat(output).contains("is not there yet").doesNotContain("is missing");
        assertThat(limit("login")).isEqualTo(5);
        write("ratelimit.zones.login: { rate: 8/m }");
        changed();
        assertThat(limit("login")).isEqualTo(8);
    }

    @Test
    void lookWhenSizeAndTimeStayTheSameThenTheContentIsSeen() throws IOException {
        start("ratelimit.zones.login: { rate: 6/m }");
        FileTime time = Files.getLastModifiedTime(path);
        write("ratelimit.zones.login: { rate: 7/m }");
        Files.setLastModifiedTime(path, time);
        changed();
        assertThat(limit("login")).isEqualTo(7);
    }

    /** How Kubernetes changes a ConfigMap: one link is swapped, and the path leads elsewhere. */
    @Test
    void lookWhenALinkIsSwappedThenTheNewContentIsSeen() throws IOException {
        Path config = Files.createDirectory(directory.resolve("config"));
        link(config, "first", "ratelimit.zones.login: { rate: 6/m }");
        Path visible = config.resolve("limits.yml");
        Files.createSymbolicLink(visible, Path.of("..data", "limits.yml"));
        startAt(visible);
        assertThat(limit("login")).isEqualTo(6);

        link(config, "second", "ratelimit.zones.login: { rate: 7/m }");
        changed();
        assertThat(limit("login")).isEqualTo(7);
    }

    @Test
    void lookWhenTheFileIsBeingWrittenThenWaitsUntilItRests() throws IOException {
        start("");
        write("ratelimit.zones.login: { rate: 6/m }");
        assertThat(watcher.look()).isTrue();
        write("ratelimit.zones.login: { rate: 6/m }\nratelimit.zones.api: { rate: 1/s }");
        assertThat(watcher.look()).isTrue();
        assertThat(limit("api")).isEqualTo(10);
        assertThat(watcher.look()).isFalse();
        assertThat(limit("api")).isEqualTo(1);
    }

    @Test
    void watcherWhenRunningThenSeesAChangeByItself() throws IOException {
        start("");
        watcher.start();
        write("ratelimit.zones.login: { rate: 9/m }");
        Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> limit("login") == 9);
        watcher.stop();
        assertThat(watcher.isRunning()).isFalse();
    }

    @Test
    void lookWhenTheFileChangesThenAnOperatorsChangeStaysOnTopAndConsumptionToo() throws IOException {
        start("");
        refresher.change("login", new ZoneChange(null, 3L, null, null, null));
        for (int i = 0; i < 2; i++) {
            assertThat(fixture.draw(zone("login"), "alice").decision().permitted())
                    .isTrue();
        }
        write("ratelimit.zones.login: { rate: 50/m }");
        changed();
        assertThat(limit("login")).isEqualTo(3);
        assertThat(zone("login").algorithm().rate()).hasToString("50/m");
        assertThat(fixture.draw(zone("login"), "alice").decision().remaining()).isZero();

        refresher.reset("login");
        assertThat(limit("login")).isEqualTo(50);
        assertThat(fixture.draw(zone("login"), "alice").decision().remaining()).isEqualTo(46);
    }

    @Test
    void lookWhenAnOperatorsChangeNoLongerFitsThenTheFileIsPutInForceAllTheSame(CapturedOutput output)
            throws IOException {
        start("");
        refresher.change("login", new ZoneChange("9/m", null, null, null, null));
        refresher.change("api", new ZoneChange("9/m", null, null, null, null));
        write("ratelimit.zones.login: { algorithm: concurrency, max-concurrent: 2 }");
        changed();
        assertThat(limit("login")).isEqualTo(2);
        assertThat(limit("api")).isEqualTo(9);
        assertThat(output).contains("the change of zone 'login' (rate: 9/m) does not fit the configuration");
    }

    @Test
    void environmentWhenChangedThenItsZonesAreInForceUnderTheFile() throws IOException {
        start("ratelimit.zones.api: { rate: 20/s }");
        application
                .environment()
                .getPropertySources()
                .addFirst(new MapPropertySource(
                        "changed", Map.of("ratelimit.zones.login.rate", "1/m", "ratelimit.zones.api.rate", "1/m")));
        EnvironmentChangeListener listener = new EnvironmentChangeListener(sources);
        ApplicationEvent event = new EnvironmentChangeEvent(Set.of("x"));
        assertThat(listener.supportsEventType(event.getClass())).isTrue();
        assertThat(listener.supportsEventType(ContextRefreshedEvent.class)).isFalse();
        listener.onApplicationEvent(event);

        assertThat(limit("login")).isEqualTo(1);
        assertThat(limit("api")).isEqualTo(20);
    }

    @Test
    void environmentWhenFaultyThenTheLimitsBeforeStay(CapturedOutput output) throws IOException {
        start("");
        Policy before = policy();
        application
                .environment()
                .getPropertySources()
                .addFirst(new MapPropertySource("changed", Map.of("ratelimit.zones.login.rate", "0/m")));
        sources.applicationChanged();

        assertThat(policy()).isSameAs(before);
        assertThat(output).contains("It has one fault:", "ratelimit.zones.login.rate is '0/m'");
    }

    @Test
    void lookWhenAnAnnotationsZoneWouldBeGoneOrTooSmallThenNothingIsPutInForce(CapturedOutput output)
            throws IOException {
        write("ratelimit.zones.extra: { rate: 5/s }");
        sources.readFile();
        sources.start(new Annotated(
                List.of(),
                List.of(),
                List.of(new Claim("Shop.buy()", "extra", 2), new Claim("Shop.sell()", "login", 3)),
                List.of()));
        write("ratelimit.zones.login: { rate: 2/m }");
        changed();

        assertThat(policy().zones()).containsKey("extra");
        assertThat(output).contains("Shop.buy() names the zone 'extra', which would be gone");
        assertThat(output).contains("Shop.sell() has the cost 3, but zone 'login' would never hold more than 2");
    }

    @ParameterizedTest
    @CsvSource({
        "/etc/limits.yml, /etc/limits.yml",
        "file:/etc/limits.yml, /etc/limits.yml",
        "file:///etc/a:b.yml, /etc/a:b.yml"
    })
    void pathWhenAFileIsNamedThenIsItsPath(String location, Path expected) {
        assertThat(ReloadFile.path(location)).isEqualTo(expected);
    }

    @Test
    void pathWhenNoFileIsNamedThenSaysWhatToWrite() {
        for (String location : List.of("classpath:limits.yml", "http://config/limits.yml", "file:")) {
            assertThatThrownBy(() -> ReloadFile.path(location))
                    .hasMessage("is no file that can be watched; write a path, such as /config/limits.yml");
        }
    }

    private void start(@Nullable String content) throws IOException {
        if (content != null) {
            write(content);
        }
        startAt(path);
    }

    private void startAt(Path location) {
        prepare(location);
        assertThat(sources.readFile()).isEmpty();
        sources.start(new Annotated(List.of(), List.of(), List.of(), List.of()));
        watcher.adopt();
    }

    private void prepare(Path location) {
        path = location;
        file = new ReloadFile(location.toString(), application.environment());
        sources = new LimitSources(refresher, application.bound(), application.environment(), file);
        watcher = new ReloadWatcher(sources, file, Duration.ofMillis(20));
    }

    private void write(String content) throws IOException {
        Files.writeString(path, content, StandardCharsets.UTF_8);
    }

    private void changed() {
        assertThat(watcher.look()).isTrue();
        assertThat(watcher.look()).isFalse();
    }

    private static void link(Path config, String version, String content) throws IOException {
        Path data = Files.createDirectory(config.resolve(version));
        Files.writeString(data.resolve("limits.yml"), content);
        Path swapped = config.resolve("..data_tmp");
        Files.createSymbolicLink(swapped, data.getFileName());
        Files.move(swapped, config.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
    }

    private Policy policy() {
        return fixture.policies().get();
    }

    private Zone zone(String name) {
        return Objects.requireNonNull(policy().zones().get(name));
    }

    private long limit(String name) {
        return zone(name).algorithm().limit();
    }
}
