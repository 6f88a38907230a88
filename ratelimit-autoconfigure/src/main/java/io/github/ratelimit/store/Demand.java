package io.github.ratelimit.store;

import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.key.RateLimitKey;

/**
 * What one request wants of one zone whose state is shared.
 *
 * @param zone the zone's name
 * @param key who draws
 * @param algorithm the limit in force for this key
 * @param cost permits to draw, at least 1; 0 only looks
 * @param enforced whether a refusal refuses the whole request; else it only counts, and the others are drawn all the same
 * @param lease permits that may be fetched per trip and handed out by this instance; 1 for no more than are drawn
 */
public record Demand(String zone, RateLimitKey key, Algorithm algorithm, long cost, boolean enforced, int lease) {}
