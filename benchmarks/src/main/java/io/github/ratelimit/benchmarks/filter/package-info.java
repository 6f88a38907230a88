/** What the filter costs a whole application. */
@NullMarked
package io.github.ratelimit.benchmarks.filter;

import org.jspecify.annotations.NullMarked;
