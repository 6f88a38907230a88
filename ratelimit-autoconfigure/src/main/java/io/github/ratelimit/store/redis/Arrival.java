package io.github.ratelimit.store.redis;

import java.util.List;

/** Is told of the answers to a call by the thread that brings them, so that nobody else has to wait for the one that asked. */
interface Arrival {

    /**
     * The answers are there; the thread that asked is woken next, so this must be short.
     *
     * @return whether {@link #announce} is to follow; false when this was known already
     */
    boolean arrived(List<Answer> answers);

    /** Wakes who waits for what was brought, once the thread that asked is on its way. */
    void announce();
}
