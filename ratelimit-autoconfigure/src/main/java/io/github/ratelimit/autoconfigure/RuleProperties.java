package io.github.ratelimit.autoconfigure;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesSource;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * A URL prefix that charges zones, as written in an element of {@code ratelimit.rules}.
 *
 * @param path Prefix, on whole segments: /api/login also covers /api/login/x. A segment in braces matches any segment.
 * @param methods Methods it speaks of; empty for all. GET covers HEAD.
 * @param zones Zones that are charged, all or nothing.
 * @param rate Rate of a limit that is written in the rule itself, keyed by client-ip.
 * @param burst Burst of that limit; by default the permits of the rate.
 * @param cost Permits of one request.
 * @param inherit Whether the zones of the next shorter matching rule are charged too.
 * @param unlimited Whether the prefix is never limited.
 * @param dryRun Whether its zones only decide, count and mark for it.
 */
@ConfigurationPropertiesSource
record RuleProperties(
        @Nullable String path,
        @DefaultValue List<String> methods,
        @DefaultValue List<String> zones,
        @Nullable String rate,
        @Nullable Long burst,
        @DefaultValue("1") long cost,
        @DefaultValue("false") boolean inherit,
        @DefaultValue("false") boolean unlimited,
        @DefaultValue("false") boolean dryRun) {

    RuleProperties {
        methods = List.copyOf(methods);
        zones = List.copyOf(zones);
    }
}
