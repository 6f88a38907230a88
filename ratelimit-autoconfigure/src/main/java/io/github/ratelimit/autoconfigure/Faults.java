package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.policy.InvalidPolicyException.Fault;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Collects faults in the order in which they are found; the same fault once. */
final class Faults {

    private final Set<Fault> found = new LinkedHashSet<>();

    /**
     * Notes a fault.
     *
     * @param where the full name of the property
     * @param problem what is wrong and what to write, as a sentence that follows the name
     */
    void add(String where, String problem) {
        found.add(new Fault(where, problem));
    }

    /**
     * Notes what a parser says of a value.
     *
     * @param value the value as it was written
     * @param refusal whose message is a sentence that follows the value
     */
    void add(String where, Object value, IllegalArgumentException refusal) {
        add(where, "is '" + value + "', which " + refusal.getMessage());
    }

    List<Fault> list() {
        return List.copyOf(found);
    }
}
