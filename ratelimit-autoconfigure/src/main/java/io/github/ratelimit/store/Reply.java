package io.github.ratelimit.store;

import io.github.ratelimit.algorithm.Step;
import org.jspecify.annotations.Nullable;

/**
 * What a shared store says to one {@link Demand}.
 *
 * @param step the arithmetic's answer
 * @param asked whether the store itself was asked; else this instance knew the answer
 * @param receipt what the store needs to settle or release what was drawn, opaque to others
 */
public record Reply(Step step, boolean asked, @Nullable Object receipt) {}
