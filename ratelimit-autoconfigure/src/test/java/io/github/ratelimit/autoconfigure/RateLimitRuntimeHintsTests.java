package io.github.ratelimit.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

class RateLimitRuntimeHintsTests {

    @ParameterizedTest
    @ValueSource(
            classes = {
                RateLimitProperties.class,
                RateLimitProperties.ClientIp.class,
                RateLimitProperties.Redis.class,
                ZoneProperties.class,
                ZoneProperties.Penalty.class,
                ZoneProperties.Window.class,
                RuleProperties.class
            })
    void registerHintsWhenImageIsBuiltThenPropertiesCanBeMade(Class<?> type) {
        RuntimeHints hints = new RuntimeHints();
        List<RuntimeHintsRegistrar> registrars = SpringFactoriesLoader.forResourceLocation(
                        "META-INF/spring/aot.factories")
                .load(RuntimeHintsRegistrar.class);
        assertThat(registrars).hasAtLeastOneElementOfType(RateLimitRuntimeHints.class);

        new RateLimitRuntimeHints().registerHints(hints, null);

        assertThat(RuntimeHintsPredicates.reflection().onConstructorInvocation(type.getDeclaredConstructors()[0]))
                .accepts(hints);
    }

    @Test
    void registerHintsWhenImageIsBuiltThenMasterAndReplicasAreFound() {
        RuntimeHints hints = new RuntimeHints();
        new RateLimitRuntimeHints().registerHints(hints, getClass().getClassLoader());
        assertThat(RuntimeHintsPredicates.reflection().onFieldAccess(LettuceConnectionFactory.class, "configuration"))
                .accepts(hints);
    }

    @Test
    void registerHintsWhenImageIsBuiltThenTheConsoleIsInIt() {
        RuntimeHints hints = new RuntimeHints();
        new RateLimitRuntimeHints().registerHints(hints, null);
        assertThat(RuntimeHintsPredicates.resource().forResource("io/github/ratelimit/actuate/console.html"))
                .accepts(hints);
    }
}
