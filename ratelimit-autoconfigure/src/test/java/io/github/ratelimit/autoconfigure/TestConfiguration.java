package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.autoconfigure.PolicyCompiler.Compiled;
import io.github.ratelimit.autoconfigure.PropertiesBinder.Bound;
import io.github.ratelimit.key.ClientAddress;
import io.github.ratelimit.key.KeyPart;
import io.github.ratelimit.key.KeyParts;
import io.github.ratelimit.policy.InvalidPolicyException.Fault;
import io.github.ratelimit.store.ZoneChange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;

/** An environment whose sources are written in a test, bound and compiled as at start-up. */
final class TestConfiguration {

    private static final ClientAddress CLIENTS = new ClientAddress(List.of(), "X-Forwarded-For", 32, 64);

    private final StandardEnvironment environment = new StandardEnvironment();
    private InstantSource clock = InstantSource.system();
    private boolean securityPresent = true;
    private Map<String, ZoneChange> changes = Map.of();
    private boolean caseSensitivePaths = true;
    private @Nullable String storeFault;

    private TestConfiguration() {
        Stream.of("systemProperties", "systemEnvironment").forEach(environment.getPropertySources()::remove);
    }

    static TestConfiguration yaml(String yaml) {
        TestConfiguration configuration = new TestConfiguration();
        ByteArrayResource file = new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8));
        try {
            new YamlPropertySourceLoader()
                    .load("application.yml", file)
                    .forEach(configuration.environment.getPropertySources()::addLast);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return configuration;
    }

    /** Adds what takes precedence over the file. */
    TestConfiguration commandLine(Map<String, Object> properties) {
        environment.getPropertySources().addFirst(new MapPropertySource("commandLineArgs", properties));
        return this;
    }

    /** Adds environment variables, which take precedence over the file. */
    TestConfiguration variables(Map<String, Object> variables) {
        environment.getPropertySources().addFirst(new SystemEnvironmentPropertySource("systemEnvironment", variables));
        return this;
    }

    TestConfiguration withoutSecurity() {
        securityPresent = false;
        return this;
    }

    /** What the configuration is read from. */
    StandardEnvironment environment() {
        return environment;
    }

    /** Changes a zone at run time. */
    TestConfiguration changed(String zone, ZoneChange change) {
        changes = Map.of(zone, change);
        return this;
    }

    TestConfiguration at(InstantSource time) {
        clock = time;
        return this;
    }

    TestConfiguration anyCase() {
        caseSensitivePaths = false;
        return this;
    }

    TestConfiguration withoutStore(String why) {
        storeFault = why;
        return this;
    }

    Bound bound() {
        ConfigurationPropertySources.attach(environment);
        return PropertiesBinder.bind(environment);
    }

    Compiled compiled() {
        return compile(bound());
    }

    List<Fault> faults() {
        Bound bound = bound();
        return Stream.of(bound.faults(), settingFaults(bound), compile(bound).faults())
                .flatMap(List::stream)
                .toList();
    }

    List<String> faultLines() {
        return faults().stream().map(Fault::toString).toList();
    }

    /** A zone that must be there. */
    static ZoneProperties zone(RateLimitProperties properties, String name) {
        return Objects.requireNonNull(properties.zones().get(name), name);
    }

    private Compiled compile(Bound bound) {
        return PolicyCompiler.compile(WrittenLimits.of(bound), List.of(), changes, surroundings());
    }

    Surroundings surroundings() {
        return new Surroundings(
                CLIENTS,
                TestConfiguration::keyPart,
                clock,
                Surroundings.Provided.NONE,
                securityPresent,
                () -> null,
                () -> caseSensitivePaths,
                () -> storeFault);
    }

    private static List<Fault> settingFaults(Bound bound) {
        Faults faults = new Faults();
        SettingsCheck.check(bound.properties(), faults);
        return faults.list();
    }

    private static KeyPart keyPart(String name) {
        return KeyParts.of(name, CLIENTS, bean -> null);
    }
}
