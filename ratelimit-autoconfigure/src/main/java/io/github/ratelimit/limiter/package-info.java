/** The one engine that decides over all zones of a request. */
@NullMarked
package io.github.ratelimit.limiter;

import org.jspecify.annotations.NullMarked;
