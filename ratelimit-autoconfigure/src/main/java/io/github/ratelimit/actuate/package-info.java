/** What an operator sees through Spring Boot Actuator. */
@NullMarked
package io.github.ratelimit.actuate;

import org.jspecify.annotations.NullMarked;
