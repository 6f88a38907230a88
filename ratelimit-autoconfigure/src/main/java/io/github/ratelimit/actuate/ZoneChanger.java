package io.github.ratelimit.actuate;

import io.github.ratelimit.policy.InvalidPolicyException;
import io.github.ratelimit.store.StoreUnavailableException;
import io.github.ratelimit.store.ZoneChange;

/**
 * Changes zones while the application runs. A change is in force, or kept out of it as a whole, when a method returns.
 * Safe for use by many threads.
 */
public interface ZoneChanger {

    /**
     * Changes a zone, on top of what was changed before.
     *
     * @throws InvalidPolicyException with everything that is wrong; nothing has changed then
     * @throws StoreUnavailableException when the change could not be kept
     */
    void change(String zone, ZoneChange change);

    /**
     * Takes back all changes of a zone.
     *
     * @throws InvalidPolicyException as {@link #change}
     * @throws StoreUnavailableException when that could not be kept
     */
    void reset(String zone);
}
