package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.policy.InvalidPolicyException;
import io.github.ratelimit.policy.InvalidPolicyException.Fault;
import java.util.List;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Tells every fault of the configuration at start-up, each on a line of its own. */
final class InvalidPolicyFailureAnalyzer extends AbstractFailureAnalyzer<InvalidPolicyException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidPolicyException cause) {
        List<Fault> faults = cause.faults();
        StringBuilder description = new StringBuilder("The rate limits cannot be put in force, because of ")
                .append(count(faults))
                .append(" in their configuration:\n");
        faults.forEach(fault -> description.append("\n    - ").append(fault));
        String action = faults.size() == 1 ? "Correct it as it says." : "Correct each of them as it says.";
        return new FailureAnalysis(description.append('\n').toString(), action, cause);
    }

    /** How many there are, in words. */
    static String count(List<Fault> faults) {
        return faults.size() == 1 ? "one fault" : faults.size() + " faults";
    }
}
