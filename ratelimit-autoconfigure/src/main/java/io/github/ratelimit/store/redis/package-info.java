/** Zones that all instances share: one script per trip to Redis, by the clock of the server. */
@NullMarked
package io.github.ratelimit.store.redis;

import org.jspecify.annotations.NullMarked;
