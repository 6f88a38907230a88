package io.github.ratelimit.autoconfigure;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Keeps the names of zones what their author wrote. Binding drops characters such as slashes from a map's keys unless
 * the key stands in brackets, and takes {@code per-ip} and {@code perIp} for one name but two keys: either would leave
 * a limit that nothing is charged to.
 */
final class ZoneNames {

    private static final ConfigurationPropertyName ZONES = PropertyNames.PREFIX.append("zones");

    private ZoneNames() {}

    /**
     * Notes names that lose characters or that clash.
     *
     * @return the properties without the zones that exist only because an environment variable, which cannot hold a
     *     dash, overrides a setting of another zone
     */
    static RateLimitProperties check(RateLimitProperties properties, Environment environment, Faults faults) {
        checkLostCharacters(environment, faults);
        Set<String> written = written(environment);
        Map<String, String> spelled = new LinkedHashMap<>();
        for (String name : written) {
            String other = spelled.putIfAbsent(uniform(name), name);
            if (other != null) {
                faults.add(
                        property(name),
                        "is the same name as '" + other + "' apart from its spelling; write both alike");
            }
        }
        Map<String, ZoneProperties> zones = new LinkedHashMap<>(properties.zones());
        zones.keySet().removeIf(name -> !written.contains(name) && spelled.containsKey(uniform(name)));
        return properties.withZones(zones);
    }

    private static Set<String> written(Environment environment) {
        Set<String> names = new LinkedHashSet<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (PropertiesBinder.isWritten(source)) {
                for (ConfigurationPropertyName name : (IterableConfigurationPropertySource) source) {
                    if (ZONES.isAncestorOf(name)) {
                        names.add(name.getElement(ZONES.getNumberOfElements(), Form.ORIGINAL));
                    }
                }
            }
        }
        return names;
    }

    /** The full name of a zone's properties, in brackets where its name would not survive without. */
    static String property(String zone) {
        return survives(zone) ? ZONES + "." + zone : ZONES + "[" + zone + "]";
    }

    private static boolean survives(String zone) {
        return !zone.isEmpty() && zone.chars().allMatch(ZoneNames::survives);
    }

    /** The form in which binding compares names. */
    private static String uniform(String name) {
        return name.replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
    }

    private static void checkLostCharacters(Environment environment, Faults faults) {
        for (PropertySource<?> source : ((ConfigurableEnvironment) environment).getPropertySources()) {
            if (source instanceof EnumerablePropertySource<?> names
                    && !(source instanceof SystemEnvironmentPropertySource)) {
                for (String name : names.getPropertyNames()) {
                    checkLostCharacters(name, faults);
                }
            }
        }
    }

    private static void checkLostCharacters(String property, Faults faults) {
        if (!ZONES.isAncestorOf(ConfigurationPropertyName.adapt(property, '.'))) {
            return;
        }
        String key = zone(property);
        if (key != null && !survives(key)) {
            faults.add(
                    ZONES + "." + key,
                    "would lose characters; write the name in quotes and brackets: \"[" + key + "]\"");
        }
    }

    /** The name of the zone in a property as it was written; {@code null} when it stands in brackets. */
    private static @Nullable String zone(String property) {
        int start = property.indexOf('.', property.indexOf('.') + 1) + 1;
        int bracket = property.indexOf('[');
        if (start == 0 || (bracket >= 0 && bracket <= start)) {
            return null;
        }
        int end = property.indexOf('.', start);
        return property.substring(start, end < 0 ? property.length() : end);
    }

    private static boolean survives(int c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    }
}
