/** Limits of single keys that the application itself provides, cached. */
@NullMarked
package io.github.ratelimit.provided;

import org.jspecify.annotations.NullMarked;
