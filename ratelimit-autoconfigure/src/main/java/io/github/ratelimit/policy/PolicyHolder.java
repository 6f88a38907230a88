package io.github.ratelimit.policy;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Holds the policy in force; a change swaps one reference. Safe for use by many threads. */
public final class PolicyHolder {

    private final List<Consumer<Policy>> listeners = new CopyOnWriteArrayList<>();
    private volatile Policy policy = Policy.empty();

    /** The policy in force. */
    public Policy get() {
        return policy;
    }

    /** Puts a policy in force, then tells the listeners. */
    public synchronized void set(Policy policy) {
        this.policy = policy;
        listeners.forEach(listener -> listener.accept(policy));
    }

    /**
     * Tells a listener of the policy in force, at once, and of every later one: one at a time and in order.
     *
     * @param listener must be quick and must not throw
     * @return once this has run, the listener is not called again
     */
    public synchronized Runnable onChange(Consumer<Policy> listener) {
        listeners.add(listener);
        listener.accept(policy);
        return () -> remove(listener);
    }

    private synchronized void remove(Consumer<Policy> listener) {
        listeners.remove(listener);
    }
}
