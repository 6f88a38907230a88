/** Limits by annotation, from the declaration to the refused call. */
@NullMarked
package io.github.ratelimit.method;

import org.jspecify.annotations.NullMarked;
