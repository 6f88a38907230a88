/** Micrometer meters of zones and decisions. */
@NullMarked
package io.github.ratelimit.metrics;

import org.jspecify.annotations.NullMarked;
