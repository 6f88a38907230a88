/** Zones kept in this JVM: bounded, lossless, lock-free. */
@NullMarked
package io.github.ratelimit.store.local;

import org.jspecify.annotations.NullMarked;
