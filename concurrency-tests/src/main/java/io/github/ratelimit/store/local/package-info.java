/** What threads may see of local zones when they meet, proved by jcstress. */
@NullMarked
package io.github.ratelimit.store.local;

import org.jspecify.annotations.NullMarked;
