package io.github.ratelimit.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.SimpleCommandLinePropertySource;

/** The endpoint says where a rule is written, not where rules usually are. */
class RuleSourcesTests {

    private static final String YAML = "ratelimit.rules: [{path: /a, rate: 1/s}, {path: /b, rate: 1/s}]";

    @Test
    void ofWhenTheRulesAreInAFileThenItsName(@TempDir Path directory) throws IOException {
        Files.writeString(directory.resolve("limits.yml"), YAML);
        Files.writeString(
                directory.resolve("main.properties"),
                "spring.config.import=file:" + directory.resolve("limits.yml") + "\n");
        SpringApplication application = new SpringApplication(Object.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        try (ConfigurableApplicationContext context = application.run(
                "--spring.config.location=file:" + directory.resolve("main.properties"),
                "--spring.main.banner-mode=off")) {
            assertThat(RuleSources.of(context.getEnvironment(), 2)).containsExactly("limits.yml", "limits.yml");
        }
    }

    @Test
    void ofWhenTheFileHasNoNameThenTheNameOfItsSource() {
        assertThat(sources(TestConfiguration.yaml(YAML), 2)).containsExactly("application.yml", "application.yml");
    }

    @Test
    void ofWhenVariablesReplaceTheListThenSaysSo() {
        TestConfiguration configuration = TestConfiguration.yaml(YAML)
                .variables(Map.of("RATELIMIT_RULES_0_PATH", "/e", "RATELIMIT_RULES_0_RATE", "2/s"));
        assertThat(sources(configuration, 1)).containsExactly("environment variables");
        assertThat(configuration.compiled().rules())
                .singleElement()
                .satisfies(rule -> assertThat(rule.source()).isEqualTo("environment variables"));
    }

    @Test
    void ofWhenTheCommandLineReplacesTheListThenSaysSo() {
        TestConfiguration configuration = TestConfiguration.yaml(YAML);
        configuration
                .environment()
                .getPropertySources()
                .addFirst(new SimpleCommandLinePropertySource(
                        "--ratelimit.rules[0].path=/c", "--ratelimit.rules[0].rate=2/s"));
        assertThat(sources(configuration, 1)).containsExactly("command line");
    }

    @Test
    void ofWhenARuleHasNoPathThenThereIsNothingToSay() {
        assertThat(sources(TestConfiguration.yaml("ratelimit.rules: [{rate: 1/s}]"), 1))
                .containsExactly("");
    }

    private static List<String> sources(TestConfiguration configuration, int rules) {
        List<String> sources = configuration.bound().ruleSources();
        assertThat(sources).hasSize(rules);
        return sources;
    }
}
