package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.policy.InvalidPolicyException.Fault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.AbstractEnvironment;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

/**
 * The YAML file whose zones and rules lie over those of the application's own configuration. What it may not say is a
 * fault, so that nothing in it is read and ignored.
 */
final class ReloadFile {

    private static final String FILE = "file:";
    private static final Set<String> CHANGEABLE = Set.of("zones", "rules", "dryrun");

    private final Path path;
    private final Environment placeholders;

    /**
     * What the file says.
     *
     * @param limits its zones and rules
     * @param dryRun whether everything is in dry run, {@code null} when it does not say
     * @param faults why it must not be put in force; empty when it may
     */
    record Read(WrittenLimits limits, @Nullable Boolean dryRun, List<Fault> faults) {}

    /**
     * The file at a location.
     *
     * @param placeholders resolves the placeholders in it
     */
    ReloadFile(String location, Environment placeholders) {
        this.path = path(location);
        this.placeholders = placeholders;
    }

    /**
     * The path of a location, with or without {@code file:} in front.
     *
     * @throws IllegalArgumentException with a sentence that follows the location, when it cannot be watched
     */
    static Path path(String location) {
        String text = location.strip();
        String plain = text.startsWith(FILE) ? text.substring(FILE.length()) : text;
        // file:///etc/limits.yml is /etc/limits.yml
        String name = plain.startsWith("///") ? plain.substring(2) : plain;
        try {
            if (!name.isEmpty() && !hasScheme(name)) {
                return Path.of(name).toAbsolutePath();
            }
        } catch (InvalidPathException e) {
            // told below, like a location that is no path
        }
        throw new IllegalArgumentException("is no file that can be watched; write a path, such as /config/limits.yml");
    }

    /** A drive of one letter is none. */
    private static boolean hasScheme(String name) {
        int colon = name.indexOf(':');
        int slash = name.indexOf('/');
        return colon > 1 && (slash < 0 || colon < slash);
    }

    /**
     * What is in the file now.
     *
     * @return {@code null} when there is none
     * @throws IOException when it is there and cannot be read
     */
    byte @Nullable [] content() throws IOException {
        try {
            return Files.readAllBytes(path);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** Reads what was in the file. */
    Read read(byte[] content) {
        ConfigurableEnvironment written = new AbstractEnvironment() {};
        try {
            for (PropertySource<?> source :
                    new YamlPropertySourceLoader().load(path.toString(), new ByteArrayResource(content))) {
                written.getPropertySources().addLast(source);
            }
        } catch (IOException | RuntimeException e) {
            return new Read(
                    new WrittenLimits(false, Map.of(), List.of()),
                    null,
                    List.of(new Fault(path.toString(), "is no YAML that can be read: " + e.getMessage())));
        }
        ConfigurationPropertySources.attach(written);
        Faults faults = new Faults();
        checkNames(written, faults);
        PropertiesBinder.Bound bound = PropertiesBinder.bind(written, placeholders);
        List<Fault> all = new ArrayList<>(faults.list());
        all.addAll(bound.faults());
        Boolean dryRun = saysDryRun(written) ? bound.properties().dryRun() : null;
        return new Read(WrittenLimits.of(bound.properties(), String.valueOf(path.getFileName())), dryRun, all);
    }

    private static boolean saysDryRun(Environment written) {
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(written)) {
            if (source.getConfigurationProperty(PropertyNames.PREFIX.append("dry-run")) != null) {
                return true;
            }
        }
        return false;
    }

    private void checkNames(Environment written, Faults faults) {
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(written)) {
            if (source instanceof IterableConfigurationPropertySource names) {
                for (ConfigurationPropertyName name : names) {
                    if (!saysWhatIsInForce(name, source)) {
                        check(name, faults);
                    }
                }
            }
        }
    }

    /** A copy of a setting that cannot change does no harm while it says the same. */
    private boolean saysWhatIsInForce(ConfigurationPropertyName name, ConfigurationPropertySource source) {
        ConfigurationProperty property = source.getConfigurationProperty(name);
        return property != null
                && String.valueOf(property.getValue()).equals(placeholders.getProperty(name.toString()));
    }

    private static void check(ConfigurationPropertyName name, Faults faults) {
        if (!PropertyNames.PREFIX.isAncestorOf(name)) {
            faults.add(name.toString(), "is not read from this file; write zones and rules under ratelimit");
            return;
        }
        if (!CHANGEABLE.contains(name.getElement(1, Form.UNIFORM)) && PropertyNames.isKnown(name.chop(2))) {
            faults.add(
                    name.chop(2).toString(),
                    "cannot change while the application runs; write it in the application's own configuration");
        }
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
