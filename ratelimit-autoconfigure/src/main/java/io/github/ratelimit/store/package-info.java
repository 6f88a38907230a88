/** Where the state of zones lives. */
@NullMarked
package io.github.ratelimit.store;

import org.jspecify.annotations.NullMarked;
