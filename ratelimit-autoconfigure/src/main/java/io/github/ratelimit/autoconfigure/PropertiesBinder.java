package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.policy.InvalidPolicyException.Fault;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Reads {@code ratelimit.} from the environment, whatever is wrong with it: a value that cannot be read, a name that
 * is not known or a setting that has no implementation becomes a fault, and reading goes on.
 */
final class PropertiesBinder {

    private static final Bindable<RateLimitProperties> TARGET = Bindable.of(RateLimitProperties.class);

    private PropertiesBinder() {}

    /**
     * What was read.
     *
     * @param properties the settings; where one could not be read, its default
     * @param ruleSources where each of the rules is written
     * @param faults why the settings must not be put in force; empty when they may
     */
    record Bound(RateLimitProperties properties, List<String> ruleSources, List<Fault> faults) {}

    /**
     * Reads the settings.
     *
     * @param environment a {@link org.springframework.core.env.ConfigurableEnvironment}
     */
    static Bound bind(Environment environment) {
        return bind(environment, environment);
    }

    /**
     * Reads the settings.
     *
     * @param environment a {@link org.springframework.core.env.ConfigurableEnvironment}
     * @param placeholders resolves the placeholders in it
     */
    static Bound bind(Environment environment, Environment placeholders) {
        Faults faults = new Faults();
        checkNames(environment, faults);
        @Nullable
        RateLimitProperties bound = new Binder(
                        ConfigurationPropertySources.get(environment),
                        new PropertySourcesPlaceholdersResolver(placeholders))
                .bindOrCreate(PropertyNames.PREFIX, TARGET, new FaultRecordingBindHandler(faults));
        RateLimitProperties properties =
                bound != null ? bound : new Binder(List.of()).bindOrCreate(PropertyNames.PREFIX.toString(), TARGET);
        properties = ZoneNames.check(properties, environment, faults);
        if (!properties.clientIp().trustedProxies().isEmpty()) {
            ForwardedHeaders.check(environment, true, faults);
        }
        return new Bound(
                properties, RuleSources.of(environment, properties.rules().size()), faults.list());
    }

    private static void checkNames(Environment environment, Faults faults) {
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (isWritten(source)) {
                for (ConfigurationPropertyName name : (IterableConfigurationPropertySource) source) {
                    if (PropertyNames.PREFIX.isAncestorOf(name)) {
                        PropertyNames.check(name, faults);
                    }
                }
            }
        }
    }

    /**
     * Whether names in this source were meant for this application. Environment variables are not: an orchestrator
     * sets {@code RATELIMIT_PORT} for any service that is called {@code ratelimit}.
     */
    static boolean isWritten(ConfigurationPropertySource source) {
        return source instanceof IterableConfigurationPropertySource
                && !(source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource);
    }
}
