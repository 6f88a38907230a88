package io.github.ratelimit.policy;

import io.github.ratelimit.algorithm.Algorithm;

/**
 * What a zone grants to a key. Made when a configuration is compiled, never while a request is served.
 *
 * @param grant whether there is a limit at all
 * @param algorithm the limit; that of the zone where the key is unlimited or denied
 */
public record Allowance(Grant grant, Algorithm algorithm) {

    /** Whether a key is limited. */
    public enum Grant {
        /** The key draws on its quota. */
        LIMITED,
        /** The zone has no say for this key: nothing is counted. */
        UNLIMITED,
        /** The key is always refused. */
        DENIED
    }

    /** A quota. */
    public static Allowance limited(Algorithm algorithm) {
        return new Allowance(Grant.LIMITED, algorithm);
    }

    /** Whether there is a quota to draw on. */
    public boolean isLimited() {
        return grant == Grant.LIMITED;
    }
}
