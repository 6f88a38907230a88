package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.LimitProvider;
import io.github.ratelimit.key.ClientAddress;
import io.github.ratelimit.key.KeyPart;
import io.github.ratelimit.policy.Allowance;
import io.github.ratelimit.policy.KeyedAllowances;
import java.time.InstantSource;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What zones and rules meet in this application.
 *
 * @param clients tells who the client of a request is
 * @param keyParser gives the resolver of a name, or throws an {@link IllegalArgumentException} with a sentence that
 *     follows the name
 * @param clock the wall clock, for limits that depend on the time of day
 * @param provided gives what the application's own provider grants to the keys of a zone
 * @param securityPresent whether Spring Security is there to establish a principal
 * @param secondPassFault why a rule's zone cannot be keyed by principal, as a sentence that follows
 *     {@code ratelimit.filter.authenticated-order}; {@code null} when it can
 * @param caseSensitivePaths whether paths that differ in case are different paths for the application
 * @param storeFault why no zone can be shared, as a sentence that follows a zone's store; {@code null} when it can
 */
record Surroundings(
        ClientAddress clients,
        Function<String, KeyPart> keyParser,
        InstantSource clock,
        Provided provided,
        boolean securityPresent,
        Supplier<@Nullable String> secondPassFault,
        BooleanSupplier caseSensitivePaths,
        Supplier<@Nullable String> storeFault) {

    /** Gives what the application's own provider grants to keys. */
    @FunctionalInterface
    interface Provided {

        /** There is no provider. */
        Provided NONE = (zone, meaning) -> KeyedAllowances.NONE;

        /**
         * What the keys of a zone are granted.
         *
         * @param zone its name
         * @param meaning says what an answer of the provider means in this zone
         */
        KeyedAllowances of(String zone, Function<LimitProvider.Limit, Allowance> meaning);
    }
}
