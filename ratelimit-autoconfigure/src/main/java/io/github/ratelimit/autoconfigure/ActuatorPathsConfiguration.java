package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.web.ExemptPathSource;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.actuate.endpoint.web.WebServerNamespace;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletPath;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Keeps probes and scrapes from being limited by a rule that was not meant for them. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({PathMappedEndpoints.class, ManagementPortType.class})
class ActuatorPathsConfiguration {

    @Bean("io.github.ratelimit.actuatorPaths")
    ExemptPathSource actuatorPaths(
            ObjectProvider<PathMappedEndpoints> endpoints,
            ObjectProvider<DispatcherServletPath> servletPath,
            Environment environment) {
        return () -> endpoints.stream()
                .flatMap(mapped -> paths(mapped, environment).stream())
                .map(path -> servletPath.stream()
                        .findFirst()
                        .map(servlet -> servlet.getRelativePath(path))
                        .orElse(path))
                .toList();
    }

    private static List<String> paths(PathMappedEndpoints endpoints, Environment environment) {
        List<String> paths = new ArrayList<>();
        if (ManagementPortType.get(environment) == ManagementPortType.SAME) {
            paths.addAll(endpoints.getAllPaths());
        }
        paths.addAll(endpoints.getAdditionalPaths(WebServerNamespace.SERVER, EndpointId.of("health")));
        return paths;
    }
}
