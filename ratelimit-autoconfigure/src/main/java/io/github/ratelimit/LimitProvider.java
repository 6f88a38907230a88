package io.github.ratelimit;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Limits of single keys from the application's own data, such as the plan that a customer pays for: a bean of the
 * application.
 *
 * <pre>{@code @Bean
 * LimitProvider plans(PlanRepository plans) {
 *     return (zone, key) -> plans.findByCustomer(key)
 *             .map(plan -> LimitProvider.Limit.of(plan.requestsPerMinute() + "/m"))
 *             .orElse(null);
 * }
 * }</pre>
 *
 * <p>It is asked on threads of its own, by several at once but never twice at once for the same key, and without the
 * request: no security context, no transaction. What it says is kept for {@link #timeToLive()}, then asked for again in
 * the background while the old answer counts. The first request of a key waits for the answer, but no longer than 100
 * milliseconds, and not at all for a while once one was not answered in time; until there is an answer the zone's own
 * limit counts. So it does after a failure, which is logged at most once a minute.
 *
 * <p>Overrides of the configuration come before it. To have a changed plan in force at once, publish a {@link Changed} as
 * an application event.
 */
@FunctionalInterface
public interface LimitProvider {

    /**
     * The limit of a key. May wait for a database.
     *
     * @param zone the name of the zone
     * @param key the key as the endpoint shows it in full: an address, a name, the parts of a composite key joined by
     *     {@code |}. Of values that may be secrets (of headers, cookies and parameters) and of keys above 64 bytes it is the
     *     digest, the first 32 hexadecimal digits of the SHA-256 of the value in UTF-8
     * @return {@code null} when the zone's own limit counts
     */
    @Nullable
    Limit limitFor(String zone, String key);

    /** Whether it knows limits for keys of this zone; asked when a configuration is put in force. By default of all. */
    default boolean supports(String zone) {
        return true;
    }

    /** How long an answer counts before it is asked for again; by default a minute. */
    default Duration timeToLive() {
        return Duration.ofMinutes(1);
    }

    /**
     * The limit of a key, of the kind that its zone has.
     *
     * @param rate how fast permits come back, as in the configuration: {@code 100/m}
     * @param burst the most permits it may draw at once; {@code null} for the default of the rate
     * @param maxConcurrent the most requests in flight, in zones that limit those
     * @param unlimited whether nothing is counted for it
     * @param denied whether it is always refused
     */
    record Limit(
            @Nullable String rate,
            @Nullable Long burst,
            @Nullable Integer maxConcurrent,
            boolean unlimited,
            boolean denied) {

        /** A rate such as {@code 100/m}, with the burst that is its default. */
        public static Limit of(String rate) {
            return new Limit(Objects.requireNonNull(rate), null, null, false, false);
        }

        /** A rate such as {@code 100/m} and a burst. */
        public static Limit of(String rate, long burst) {
            return new Limit(Objects.requireNonNull(rate), burst, null, false, false);
        }

        /** So many requests in flight. */
        public static Limit ofConcurrency(int maxConcurrent) {
            return new Limit(null, null, maxConcurrent, false, false);
        }

        /** No limit. */
        public static Limit ofUnlimited() {
            return new Limit(null, null, null, true, false);
        }

        /** Refused at all times. */
        public static Limit ofDenied() {
            return new Limit(null, null, null, false, true);
        }
    }

    /**
     * Says that answers given before may be outdated: publish it as an application event.
     *
     * @param zone of this zone; {@code null} for all
     * @param key of this key; {@code null} for all
     */
    record Changed(@Nullable String zone, @Nullable String key) {

        /** All answers may be outdated. */
        public static Changed all() {
            return new Changed(null, null);
        }

        /** The answers for a key may be outdated, in all zones. */
        public static Changed ofKey(String key) {
            return new Changed(null, Objects.requireNonNull(key));
        }
    }
}
