package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.key.KeyPlan.MissingKey;
import io.github.ratelimit.policy.Zone.WhenFull;
import io.github.ratelimit.store.ZoneChange;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesSource;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;

/**
 * A named limit with its own keyed state, as written under {@code ratelimit.zones}.
 *
 * @param key Who is counted: one resolver, or a list of them for a composite key.
 * @param algorithm How draws are judged.
 * @param rate How fast permits come back, such as 10/s, 30/m or 100/15m.
 * @param burst Most permits one key may draw at once; by default the permits of the rate.
 * @param delayAfter Excess requests of a leaky bucket that are let straight through before the rest wait, or never.
 * @param maxConcurrent Most requests in flight for one key; of algorithm concurrency only.
 * @param store Where the state lives.
 * @param maxKeys Most keys that are held in this instance.
 * @param whenFull What happens to newcomers when that many keys are held.
 * @param onStoreFailure What happens while the store fails.
 * @param localGuard Coarse limit of this instance that is asked before the store.
 * @param lease Permits fetched per trip to the store.
 * @param missingKey What happens to a request that lacks a value of the key.
 * @param penalty Ban of keys that are refused again and again.
 * @param schedule Other limits at certain times; the first window that matches wins.
 * @param overrides Other limits for certain keys; the most specific wins.
 * @param dryRun Whether the zone only decides, counts and marks.
 */
@ConfigurationPropertiesSource
record ZoneProperties(
        @DefaultValue(DEFAULT_KEY) List<String> key,
        @DefaultValue("token-bucket") AlgorithmName algorithm,
        @Nullable String rate,
        @Nullable Long burst,
        @DefaultValue("0") String delayAfter,
        @Nullable Integer maxConcurrent,
        @DefaultValue("local") StoreName store,
        @DefaultValue(DEFAULT_MAX_KEYS) int maxKeys,
        @DefaultValue("share") WhenFull whenFull,
        @DefaultValue("local") StoreFailure onStoreFailure,
        @Nullable String localGuard,
        @DefaultValue("1") int lease,
        @DefaultValue("client-ip") MissingKey missingKey,
        @Nullable Penalty penalty,
        @DefaultValue List<Window> schedule,
        @DefaultValue List<KeyOverride> overrides,
        @DefaultValue("false") boolean dryRun) {

    static final String DEFAULT_KEY = "client-ip";
    static final String DEFAULT_MAX_KEYS = "100000";

    ZoneProperties {
        key = List.copyOf(key);
        schedule = List.copyOf(schedule);
        overrides = List.copyOf(overrides);
    }

    /** A limit that is written in a rule: a zone with defaults but for its limit. */
    static ZoneProperties inline(@Nullable String rate, @Nullable Long burst) {
        return new ZoneProperties(
                List.of(DEFAULT_KEY),
                AlgorithmName.TOKEN_BUCKET,
                rate,
                burst,
                "0",
                null,
                StoreName.LOCAL,
                Integer.parseInt(DEFAULT_MAX_KEYS),
                WhenFull.SHARE,
                StoreFailure.LOCAL,
                null,
                1,
                MissingKey.CLIENT_IP,
                null,
                List.of(),
                List.of(),
                false);
    }

    /** The same zone with what was changed at run time. */
    ZoneProperties changed(ZoneChange change) {
        return change.isEmpty()
                ? this
                : new ZoneProperties(
                        key,
                        algorithm,
                        change.rate() != null ? change.rate() : rate,
                        change.burst() != null ? change.burst() : burst,
                        delayAfter,
                        change.maxConcurrent() != null ? change.maxConcurrent() : maxConcurrent,
                        store,
                        change.maxKeys() != null ? change.maxKeys() : maxKeys,
                        whenFull,
                        onStoreFailure,
                        localGuard,
                        lease,
                        missingKey,
                        penalty,
                        schedule,
                        overrides,
                        change.dryRun() != null ? change.dryRun() : dryRun);
    }

    /** The same zone with another limit; its own rate stays where only a burst is written, its own burst never does. */
    ZoneProperties limitedTo(@Nullable String otherRate, @Nullable Long otherBurst, @Nullable Integer otherConcurrent) {
        return new ZoneProperties(
                key,
                algorithm,
                otherRate == null && otherBurst != null ? rate : otherRate,
                otherBurst,
                delayAfter,
                otherConcurrent,
                store,
                maxKeys,
                whenFull,
                onStoreFailure,
                localGuard,
                lease,
                missingKey,
                penalty,
                List.of(),
                List.of(),
                dryRun);
    }

    /** How draws are judged. */
    enum AlgorithmName {
        TOKEN_BUCKET,
        LEAKY_BUCKET,
        FIXED_WINDOW,
        SLIDING_WINDOW,
        CONCURRENCY
    }

    /** Where state lives. */
    enum StoreName {
        LOCAL,
        REDIS
    }

    /** What happens while a store fails. */
    enum StoreFailure {
        LOCAL,
        ALLOW,
        REJECT
    }

    /**
     * Ban of keys that are refused again and again.
     *
     * @param after Rejections that lead to a ban.
     * @param within Time within which they count; a number without a unit is seconds.
     * @param ban Length of the first ban; a number without a unit is seconds.
     * @param multiplier How many times longer each further ban is.
     * @param maxBan Longest ban that ends by itself; by default 24h, or the first ban where that is longer.
     * @param permanentAfter Number of the ban that stays until it is released by hand; by default every ban ends by itself.
     */
    @ConfigurationPropertiesSource
    record Penalty(
            @DefaultValue("5") int after,

            @DefaultValue("1m") @DurationUnit(ChronoUnit.SECONDS)
            Duration within,

            @DefaultValue("10m") @DurationUnit(ChronoUnit.SECONDS)
            Duration ban,

            @DefaultValue("2") int multiplier,
            @Nullable @DurationUnit(ChronoUnit.SECONDS) Duration maxBan,
            @Nullable Integer permanentAfter) {}

    /**
     * Other limits at certain times.
     *
     * @param from Time of day at which the window begins, such as "22:00".
     * @param to Time of day at which it ends; before its begin when it spans midnight.
     * @param timeZone Time zone of both, such as Asia/Shanghai; by default UTC.
     * @param rate Rate within the window.
     * @param burst Burst within the window; by default as for a zone of that rate.
     * @param maxConcurrent Most requests in flight within the window; of algorithm concurrency only.
     */
    @ConfigurationPropertiesSource
    record Window(
            @Nullable String from,
            @Nullable String to,
            @Nullable String timeZone,
            @Nullable String rate,
            @Nullable Long burst,
            @Nullable Integer maxConcurrent) {}

    /**
     * Other limits for certain keys.
     *
     * @param key Key as a person writes it; a CIDR block where the zone counts addresses.
     * @param rate Rate of the key.
     * @param burst Burst of the key; by default as for a zone of that rate.
     * @param maxConcurrent Most requests of the key in flight; of algorithm concurrency only.
     * @param unlimited Whether the key is never limited.
     * @param deny Whether the key is always refused.
     */
    @ConfigurationPropertiesSource
    record KeyOverride(
            @Nullable String key,
            @Nullable String rate,
            @Nullable Long burst,
            @Nullable Integer maxConcurrent,
            @DefaultValue("false") boolean unlimited,
            @DefaultValue("false") boolean deny) {}
}
