package io.github.ratelimit.autoconfigure;

import java.util.Set;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What the endpoint shows to whom.
 *
 * @param showKeys When to show keys in full instead of masked.
 * @param roles Roles of which a user needs one to be authorized to see keys in full. When empty, all authenticated
 *     users are authorized.
 */
@ConfigurationProperties("management.endpoint.ratelimit")
record RateLimitEndpointProperties(
        @DefaultValue("never") Show showKeys, @DefaultValue Set<String> roles) {

    /** Copies the roles. */
    RateLimitEndpointProperties {
        roles = Set.copyOf(roles);
    }
}
