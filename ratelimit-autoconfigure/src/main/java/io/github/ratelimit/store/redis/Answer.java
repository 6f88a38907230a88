package io.github.ratelimit.store.redis;

import io.github.ratelimit.algorithm.Step;

/**
 * What Redis says to a wish.
 *
 * @param step the arithmetic's answer
 * @param drawn permits drawn, if the step is admitted; more than asked for where they are leased
 */
record Answer(Step step, long drawn) {}
