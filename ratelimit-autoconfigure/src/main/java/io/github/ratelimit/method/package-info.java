/** @RateLimited on handler methods and on other beans. */
@NullMarked
package io.github.ratelimit.method;

import org.jspecify.annotations.NullMarked;
