package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.web.QuotaHeaders;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What is written under {@code ratelimit.}, as it was written: {@link PropertiesBinder} fills it, {@link PolicyCompiler}
 * makes a policy of it. It is no bean; nothing reads it while requests are served.
 *
 * @param enabled Whether requests are limited at all.
 * @param dryRun Whether everything only decides, counts and marks, and nothing is refused or delayed.
 * @param clientIp Who the client of a request is.
 * @param response What a client is told.
 * @param filter Where in the filter chain requests are decided.
 * @param redis The state that instances share.
 * @param reload Zones and rules that can change while the application runs.
 * @param zones Named limits, each with its own keyed state.
 * @param rules URL prefixes that charge zones; the longest that matches wins.
 */
@ConfigurationProperties("ratelimit")
record RateLimitProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("false") boolean dryRun,
        @DefaultValue ClientIp clientIp,
        @DefaultValue Response response,
        @DefaultValue Filter filter,
        @DefaultValue Redis redis,
        @DefaultValue Reload reload,
        @DefaultValue Map<String, ZoneProperties> zones,
        @DefaultValue List<RuleProperties> rules) {

    RateLimitProperties {
        zones = Collections.unmodifiableMap(new LinkedHashMap<>(zones));
        rules = List.copyOf(rules);
    }

    RateLimitProperties withZones(Map<String, ZoneProperties> others) {
        return new RateLimitProperties(enabled, dryRun, clientIp, response, filter, redis, reload, others, rules);
    }

    /** The settings that are read once, at start-up. */
    RateLimitProperties withoutLimits() {
        return new RateLimitProperties(enabled, false, clientIp, response, filter, redis, reload, Map.of(), List.of());
    }

    /**
     * Who the client of a request is.
     *
     * @param trustedProxies Proxies whose header is believed, as addresses or CIDR blocks. Empty: no header is believed.
     * @param header Header in which trusted proxies name the client: X-Forwarded-For, Forwarded, or one that holds a
     * single address.
     * @param ipv4PrefixLength Bits that tell IPv4 clients apart.
     * @param ipv6PrefixLength Bits that tell IPv6 clients apart.
     */
    record ClientIp(
            @DefaultValue List<String> trustedProxies,
            @DefaultValue("X-Forwarded-For") String header,
            @DefaultValue("32") int ipv4PrefixLength,
            @DefaultValue("64") int ipv6PrefixLength) {

        ClientIp {
            trustedProxies = List.copyOf(trustedProxies);
        }
    }

    /**
     * What a client is told.
     *
     * @param status Status of a rejection. Retry-After is always sent with it.
     * @param headers Headers that tell the quota.
     * @param exposeTo Who sees the quota headers.
     * @param corsExpose Whether the headers are added to Access-Control-Expose-Headers.
     */
    record Response(
            @DefaultValue("429") int status,
            @DefaultValue("none") QuotaHeaders.Format headers,
            @DefaultValue("everyone") QuotaHeaders.Audience exposeTo,
            @DefaultValue("false") boolean corsExpose) {}

    /**
     * Where in the filter chain requests are decided.
     *
     * @param order Order of the filter; by default before Spring Security.
     * @param authenticatedOrder Order of the second pass, for zones keyed by principal; by default after Spring Security.
     * @param exclude Path prefixes that are never limited.
     */
    record Filter(
            @DefaultValue("-110") int order,
            @DefaultValue("-90") int authenticatedOrder,
            @DefaultValue List<String> exclude) {

        Filter {
            exclude = List.copyOf(exclude);
        }
    }

    /**
     * The state that instances share.
     *
     * @param keyPrefix Begin of every key that is written; keeps applications apart that use one Redis.
     * @param database Database index; that of spring.data.redis.database by default.
     * @param timeout Whole budget of one decision, connect included.
     * @param connectionFactory Bean name of the connection factory, when there are several.
     */
    record Redis(
            @DefaultValue("ratelimit:${spring.application.name:}:")
            String keyPrefix,

            @Nullable Integer database,
            @DefaultValue("100ms") Duration timeout,
            @Nullable String connectionFactory) {}

    /**
     * Zones and rules that can change while the application runs.
     *
     * @param location YAML file with zones and rules, watched; they replace those of the same name or path.
     * @param interval How often the file is looked at.
     */
    record Reload(
            @Nullable String location, @DefaultValue("5s") Duration interval) {}
}
