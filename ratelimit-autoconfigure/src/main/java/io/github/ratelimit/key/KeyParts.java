package io.github.ratelimit.key;

import io.github.ratelimit.KeyResolver;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The key resolvers that a configuration can name. */
public final class KeyParts {

    private KeyParts() {}

    /**
     * The resolver of a name such as {@code client-ip} or {@code header:X-Api-Key}.
     *
     * @param name the resolver as it is written in the configuration
     * @param clients reads addresses that are written by hand
     * @param beans gives the bean of a name, {@code null} when there is none or when it is no {@link KeyResolver}
     * @throws IllegalArgumentException with a sentence that follows the name of the property and says what to write
     */
    public static KeyPart of(String name, ClientAddress clients, Function<String, @Nullable KeyResolver> beans) {
        throw new IllegalArgumentException(name);
    }
}
