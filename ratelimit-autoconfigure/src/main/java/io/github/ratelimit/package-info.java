/** What applications import: the annotation, the decision and the points of extension. */
@NullMarked
package io.github.ratelimit;

import org.jspecify.annotations.NullMarked;
