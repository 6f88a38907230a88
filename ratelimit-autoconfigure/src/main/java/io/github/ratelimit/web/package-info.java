/** HTTP in, HTTP out: the filter and the only place that writes a refusal. */
@NullMarked
package io.github.ratelimit.web;

import org.jspecify.annotations.NullMarked;
