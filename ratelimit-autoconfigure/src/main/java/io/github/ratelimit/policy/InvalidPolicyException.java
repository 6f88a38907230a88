package io.github.ratelimit.policy;

import java.util.List;
import java.util.stream.Collectors;

/** What was configured cannot be put in force: carries every fault, not the first one. */
public final class InvalidPolicyException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient List<Fault> faults;

    /**
     * One fault.
     *
     * @param where the full name of the property, or the annotated method
     * @param problem what is wrong with it and what to write, as a sentence that follows {@code where}
     */
    public record Fault(String where, String problem) {

        @Override
        public String toString() {
            return where + " " + problem;
        }
    }

    /**
     * The faults, at least one.
     *
     * @param faults in the order in which they were written
     */
    public InvalidPolicyException(List<Fault> faults) {
        super(faults.stream().map(Fault::toString).collect(Collectors.joining("; ")));
        this.faults = List.copyOf(faults);
    }

    /** Every fault that was found. */
    public List<Fault> faults() {
        return faults;
    }
}
