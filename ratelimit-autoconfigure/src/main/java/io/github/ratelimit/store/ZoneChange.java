package io.github.ratelimit.store;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What an operator has changed about a zone while the application runs. It lies over the configuration: what it does not
 * name stays what the configuration says, also when that changes later.
 *
 * @param rate the rate as written, {@code null} when unchanged
 * @param burst the burst, {@code null} when unchanged
 * @param maxConcurrent the most requests in flight, {@code null} when unchanged
 * @param maxKeys the most keys held, {@code null} when unchanged
 * @param dryRun whether the zone only counts and marks, {@code null} when unchanged
 */
public record ZoneChange(
        @Nullable String rate,
        @Nullable Long burst,
        @Nullable Integer maxConcurrent,
        @Nullable Integer maxKeys,
        @Nullable Boolean dryRun) {

    private static final char LINE = '\n';

    /** Nothing is changed. */
    public static final ZoneChange NONE = new ZoneChange(null, null, null, null, null);

    /** Whether it changes nothing. */
    public boolean isEmpty() {
        return equals(NONE);
    }

    /** Both changes, the later one where both name the same. */
    public ZoneChange then(ZoneChange later) {
        return new ZoneChange(
                later.rate != null ? later.rate : rate,
                later.burst != null ? later.burst : burst,
                later.maxConcurrent != null ? later.maxConcurrent : maxConcurrent,
                later.maxKeys != null ? later.maxKeys : maxKeys,
                later.dryRun != null ? later.dryRun : dryRun);
    }

    /** The change as text, a setting a line, for stores that keep it outside of this instance. */
    public String toText() {
        StringBuilder text = new StringBuilder(48);
        append(text, "rate", rate);
        append(text, "burst", burst);
        append(text, "max-concurrent", maxConcurrent);
        append(text, "max-keys", maxKeys);
        append(text, "dry-run", dryRun);
        return text.toString();
    }

    /**
     * Reads {@link #toText}; settings that are not known, perhaps of a later version, are left aside.
     *
     * @throws IllegalArgumentException when a value cannot be read
     */
    public static ZoneChange ofText(String text) {
        Map<String, String> settings = new LinkedHashMap<>();
        text.lines().forEach(line -> {
            int colon = line.indexOf(':');
            if (colon > 0) {
                settings.put(line.substring(0, colon), line.substring(colon + 1).strip());
            }
        });
        return new ZoneChange(
                settings.get("rate"),
                read(settings.get("burst"), Long::valueOf),
                read(settings.get("max-concurrent"), Integer::valueOf),
                read(settings.get("max-keys"), Integer::valueOf),
                read(settings.get("dry-run"), Boolean::valueOf));
    }

    private static void append(StringBuilder text, String name, @Nullable Object value) {
        if (value != null) {
            text.append(name)
                    .append(": ")
                    .append(value.toString().replace(LINE, ' '))
                    .append(LINE);
        }
    }

    private static <T> @Nullable T read(@Nullable String text, Function<String, T> reader) {
        return text == null ? null : reader.apply(text);
    }
}
