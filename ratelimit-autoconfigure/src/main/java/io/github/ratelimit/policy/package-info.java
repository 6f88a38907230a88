/** What was configured, as one immutable snapshot. */
@NullMarked
package io.github.ratelimit.policy;

import org.jspecify.annotations.NullMarked;
