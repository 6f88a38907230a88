package io.github.ratelimit.autoconfigure;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/**
 * The settings that are known and have no implementation: whoever writes one is told so at start-up, instead of being
 * left to believe that it works. What gets an implementation loses its line here.
 */
final class NotSupportedYet {

    private static final List<Setting> SETTINGS = List.of(
            new Setting("ratelimit.redis.*", null),
            new Setting("ratelimit.zones.*.store", "local"),
            new Setting("ratelimit.zones.*.on-store-failure", null),
            new Setting("ratelimit.zones.*.local-guard", null),
            new Setting("ratelimit.zones.*.lease", null));

    private NotSupportedYet() {}

    /** Notes a fault when the property that was bound is one of these. */
    static void check(ConfigurationPropertyName name, Object value, Faults faults) {
        if (isUnset(value)) {
            return;
        }
        for (Setting setting : SETTINGS) {
            if (setting.matches(name)) {
                setting.check(name, value, faults);
            }
        }
    }

    private static boolean isUnset(Object value) {
        return value.toString().isBlank() || (value instanceof Collection<?> elements && elements.isEmpty());
    }

    /**
     * One setting.
     *
     * @param pattern its name, with a star for any element
     * @param supported the value that is supported; {@code null} when none is
     */
    private record Setting(String pattern, @Nullable String supported) {

        boolean matches(ConfigurationPropertyName name) {
            String[] elements = pattern.split("\\.", -1);
            boolean matches = name.getNumberOfElements() == elements.length;
            for (int i = 0; matches && i < elements.length; i++) {
                matches = elements[i].equals("*") || elements[i].equals(name.getElement(i, Form.DASHED));
            }
            return matches;
        }

        void check(ConfigurationPropertyName name, Object value, Faults faults) {
            if (supported == null) {
                faults.add(name.toString(), "is not supported yet; remove it");
                return;
            }
            String written = value.toString().toLowerCase(Locale.ROOT).replace('_', '-');
            if (!written.equals(supported)) {
                faults.add(name.toString(), "is '" + written + "', which is not supported yet; write " + supported);
            }
        }
    }
}
