/** What is remembered of refusals and learnt from traffic, in memory that no client can make grow. */
@NullMarked
package io.github.ratelimit.observe;

import org.jspecify.annotations.NullMarked;
