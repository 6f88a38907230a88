package io.github.ratelimit.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.core.env.CommandLinePropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.Resource;

/** Where the application's own configuration says its rules: the name of a file, or what else it was. */
final class RuleSources {

    private RuleSources() {}

    /**
     * The source of each rule of a list, by the property that no rule is without.
     *
     * @param environment what the list was read from
     * @param rules how many there are
     */
    static List<String> of(Environment environment, int rules) {
        List<String> sources = new ArrayList<>(rules);
        for (int i = 0; i < rules; i++) {
            sources.add(source(environment, ConfigurationPropertyName.of("ratelimit.rules[" + i + "].path")));
        }
        return sources;
    }

    private static String source(Environment environment, ConfigurationPropertyName name) {
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            ConfigurationProperty property = source.getConfigurationProperty(name);
            if (property != null) {
                String file = file(property.getOrigin());
                return file != null ? file : name(source.getUnderlyingSource());
            }
        }
        // a rule without a path is a fault, and never shown
        return "";
    }

    private static @Nullable String file(@Nullable Origin origin) {
        Origin actual = origin instanceof PropertySourceOrigin wrapped ? wrapped.getOrigin() : origin;
        Resource resource = actual instanceof TextResourceOrigin text ? text.getResource() : null;
        return resource == null ? null : resource.getFilename();
    }

    private static String name(@Nullable Object source) {
        if (source instanceof SystemEnvironmentPropertySource) {
            return "environment variables";
        }
        if (source instanceof CommandLinePropertySource<?>) {
            return "command line";
        }
        String name = source instanceof PropertySource<?> properties ? properties.getName() : "";
        return StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME.equals(name) ? "system properties" : name;
    }
}
