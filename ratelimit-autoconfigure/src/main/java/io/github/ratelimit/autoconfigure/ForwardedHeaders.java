package io.github.ratelimit.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.cloud.CloudPlatform;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * Refuses trusted proxies together with a server that evaluates forwarded headers on its own: by the time a filter
 * runs, it has replaced the peer's address by its own idea of the client and removed the header.
 */
final class ForwardedHeaders {

    private static final String STRATEGY = "server.forward-headers-strategy";
    private static final String REASON =
            ": the server then replaces the peer's address before ratelimit.client-ip.trusted-proxies is looked at; ";

    private ForwardedHeaders() {}

    static void check(Environment environment, Faults faults) {
        String strategy = value(STRATEGY, environment);
        CloudPlatform platform = CloudPlatform.getActive(environment);
        if (strategy == null && platform != null && platform.isUsingForwardHeaders()) {
            faults.add(STRATEGY, "is not set, which means native on " + platform + REASON + "write none or framework");
        } else if ("native".equalsIgnoreCase(strategy)) {
            faults.add(STRATEGY, "is native" + REASON + "write none or framework");
        }
        for (String name : new String[] {"remote-ip-header", "protocol-header"}) {
            String property = "server.tomcat.remoteip." + name;
            if (value(property, environment) != null) {
                faults.add(property, "is set" + REASON + "remove it");
            }
        }
    }

    private static @Nullable String value(String property, Environment environment) {
        String value = Binder.get(environment).bind(property, String.class).orElse("");
        return value.isBlank() ? null : value.trim();
    }
}
