package io.github.ratelimit.policy;

/** Holds the policy in force; a change swaps one reference. */
public final class PolicyHolder {

    private volatile Policy policy = Policy.empty();

    /** The policy in force. */
    public Policy get() {
        return policy;
    }

    /** Puts a policy in force. */
    public void set(Policy policy) {
        this.policy = policy;
    }
}
