/** Who is counted: from a request to a key of bounded size. */
@NullMarked
package io.github.ratelimit.key;

import org.jspecify.annotations.NullMarked;
