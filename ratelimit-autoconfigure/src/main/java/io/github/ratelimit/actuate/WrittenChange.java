package io.github.ratelimit.actuate;

import io.github.ratelimit.policy.InvalidPolicyException.Fault;
import io.github.ratelimit.store.ZoneChange;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

/** A change as an operator writes it. */
final class WrittenChange {

    private static final String NUMBER = "write a whole number";

    private WrittenChange() {}

    /**
     * Reads a change.
     *
     * @throws InvalidEndpointRequestException when it says nothing, or with every value that cannot be read
     */
    static ZoneChange read(
            @Nullable String rate,
            @Nullable String burst,
            @Nullable String maxConcurrent,
            @Nullable String maxKeys,
            @Nullable String dryRun) {
        List<Fault> faults = new ArrayList<>();
        ZoneChange change = new ZoneChange(
                rate == null || rate.isBlank() ? null : rate.strip(),
                read("burst", burst, Long::valueOf, NUMBER, faults),
                read("maxConcurrent", maxConcurrent, Integer::valueOf, NUMBER, faults),
                read("maxKeys", maxKeys, Integer::valueOf, NUMBER, faults),
                read("dryRun", dryRun, WrittenChange::bool, "write true or false", faults));
        if (faults.isEmpty() && change.isEmpty()) {
            faults.add(new Fault("The change", "says nothing; write rate, burst, maxConcurrent, maxKeys or dryRun"));
        }
        if (!faults.isEmpty()) {
            throw refused(faults);
        }
        return change;
    }

    /** Says why a change is not made. */
    static InvalidEndpointRequestException refused(List<Fault> faults) {
        String reason = faults.stream().map(Fault::toString).collect(Collectors.joining("; "));
        return new InvalidEndpointRequestException(reason, reason);
    }

    private static <T> @Nullable T read(
            String name, @Nullable String text, Function<String, T> reader, String advice, List<Fault> faults) {
        if (text == null || text.isBlank()) {
            return null;
        }
        try {
            return reader.apply(text.strip());
        } catch (IllegalArgumentException e) {
            faults.add(new Fault(name, "is '" + text + "'; " + advice));
            return null;
        }
    }

    private static Boolean bool(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException(text);
        };
    }
}
