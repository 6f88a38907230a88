package io.github.ratelimit.limiter;

import io.github.ratelimit.algorithm.Step;

/**
 * Permits that were drawn.
 *
 * @param charge for what
 * @param step what the store said: it tells from whose state
 */
public record Draw(Charge charge, Step step) {}
