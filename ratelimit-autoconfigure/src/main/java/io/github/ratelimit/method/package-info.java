/** {@code @RateLimited} on handler methods and on the methods of other beans. */
@NullMarked
package io.github.ratelimit.method;

import org.jspecify.annotations.NullMarked;
