/** A small shop whose limits stand partly in application.yml and partly in the code. */
@NullMarked
package io.github.ratelimit.sample;

import org.jspecify.annotations.NullMarked;
