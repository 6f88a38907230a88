package io.github.ratelimit.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.cloud.CloudPlatform;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * Refuses a server that evaluates forwarded headers on its own: by the time a filter runs, it has replaced the peer's
 * address by its own idea of the client and removed the header. Then trusted proxies are no longer recognised, and where
 * none are trusted a header is believed all the same.
 */
final class ForwardedHeaders {

    private static final String STRATEGY = "server.forward-headers-strategy";
    private static final String REASON =
            ": the server then replaces the peer's address before ratelimit.client-ip.trusted-proxies is looked at; ";
    private static final String REASON_WITHOUT_PROXIES =
            ": the server then believes a header, although ratelimit.client-ip.trusted-proxies names nobody who may send"
                    + " one; name your proxies there, if there are any, and ";

    private ForwardedHeaders() {}

    /**
     * Notes a fault for every setting by which the server does so.
     *
     * @param proxiesTrusted whether any proxies are named
     */
    static void check(Environment environment, boolean proxiesTrusted, Faults faults) {
        String reason = proxiesTrusted ? REASON : REASON_WITHOUT_PROXIES;
        String strategy = value(STRATEGY, environment);
        CloudPlatform platform = CloudPlatform.getActive(environment);
        if (strategy == null && platform != null && platform.isUsingForwardHeaders()) {
            faults.add(STRATEGY, "is not set, which means native on " + platform + reason + "write none or framework");
        } else if ("native".equalsIgnoreCase(strategy)) {
            faults.add(STRATEGY, "is native" + reason + "write none or framework");
        }
        for (String name : new String[] {"remote-ip-header", "protocol-header"}) {
            String property = "server.tomcat.remoteip." + name;
            if (value(property, environment) != null) {
                faults.add(property, "is set" + reason + "remove it");
            }
        }
    }

    private static @Nullable String value(String property, Environment environment) {
        String value = Binder.get(environment).bind(property, String.class).orElse("");
        return value.isBlank() ? null : value.trim();
    }
}
