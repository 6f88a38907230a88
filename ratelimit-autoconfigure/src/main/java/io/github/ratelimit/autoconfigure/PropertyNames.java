package io.github.ratelimit.autoconfigure;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.core.ResolvableType;

/**
 * The names that may stand under {@code ratelimit.}, read off the records they are bound to. Tells of any other name
 * what was probably meant.
 */
final class PropertyNames {

    static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("ratelimit");

    /** More letters than this that differ are another word, not a slip. */
    private static final int MAX_SLIPS = 2;

    private PropertyNames() {}

    /** Notes a fault at the first element of the name that is not known there. */
    static void check(ConfigurationPropertyName name, Faults faults) {
        ResolvableType type = ResolvableType.forClass(RateLimitProperties.class);
        for (int i = PREFIX.getNumberOfElements(); i < name.getNumberOfElements(); i++) {
            Class<?> raw = type.resolve(Object.class);
            String parent = name.chop(i).toString();
            String where = name.chop(i + 1).toString();
            if (Map.class.isAssignableFrom(raw)) {
                type = type.getGeneric(1);
            } else if (List.class.isAssignableFrom(raw)) {
                if (!name.isNumericIndex(i)) {
                    faults.add(where, "is not known: " + parent + " is a list; begin each element with a dash");
                    return;
                }
                type = type.getGeneric(0);
            } else if (raw.isRecord()) {
                RecordComponent component = component(raw, name.getElement(i, Form.UNIFORM));
                if (component == null) {
                    faults.add(where, "is not known; " + hint(raw, name.getElement(i, Form.DASHED)));
                    return;
                }
                type = ResolvableType.forType(component.getGenericType());
            } else {
                faults.add(where, "is not known: " + parent + " takes one value");
                return;
            }
        }
    }

    /** Whether the name of a group of settings is known. */
    static boolean isKnown(ConfigurationPropertyName name) {
        return component(RateLimitProperties.class, name.getLastElement(Form.UNIFORM)) != null;
    }

    private static @Nullable RecordComponent component(Class<?> type, String uniform) {
        for (RecordComponent component : type.getRecordComponents()) {
            if (component.getName().toLowerCase(Locale.ROOT).equals(uniform)) {
                return component;
            }
        }
        return null;
    }

    private static String hint(Class<?> type, String written) {
        List<String> known = Arrays.stream(type.getRecordComponents())
                .map(component -> dashed(component.getName()))
                .toList();
        List<String> near = known.stream()
                .filter(name -> slips(name, written) <= MAX_SLIPS)
                .sorted(Comparator.comparingInt(name -> slips(name, written)))
                .toList();
        return near.isEmpty()
                ? "known here: " + known.stream().sorted().collect(Collectors.joining(", "))
                : "did you mean " + String.join(" or ", near) + "?";
    }

    private static String dashed(String camelCase) {
        StringBuilder name = new StringBuilder(camelCase.length() + 4);
        for (int i = 0; i < camelCase.length(); i++) {
            char c = camelCase.charAt(i);
            if (Character.isUpperCase(c)) {
                name.append('-');
            }
            name.append(Character.toLowerCase(c));
        }
        return name.toString();
    }

    /** Letters that have to be put in, left out, replaced or swapped with their neighbour to make one name the other. */
    private static int slips(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                int replaced = d[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                d[i][j] = Math.min(replaced, Math.min(d[i - 1][j], d[i][j - 1]) + 1);
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[a.length()][b.length()];
    }
}
