package io.github.ratelimit.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.boot.context.properties.bind.BindableRuntimeHintsRegistrar;

/** Lets a native image bind the properties, read their names, and find the console's page and what Redis needs. */
final class RateLimitRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        BindableRuntimeHintsRegistrar.forTypes(RateLimitProperties.class, ZoneProperties.class, RuleProperties.class)
                .registerHints(hints);
        hints.resources().registerPattern("io/github/ratelimit/actuate/console.html");
        hints.resources().registerPattern("io/github/ratelimit/store/redis/*.lua");
        // where a factory keeps its master and replicas
        hints.reflection()
                .registerTypeIfPresent(
                        classLoader, RedisLibraries.CONNECTION_FACTORY, type -> type.withField("configuration"));
    }
}
