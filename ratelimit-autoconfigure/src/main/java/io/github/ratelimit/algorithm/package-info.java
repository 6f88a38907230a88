/** Pure arithmetic of limits: state, cost and time in, a step out; no clock, no I/O. */
@NullMarked
package io.github.ratelimit.algorithm;

import org.jspecify.annotations.NullMarked;
