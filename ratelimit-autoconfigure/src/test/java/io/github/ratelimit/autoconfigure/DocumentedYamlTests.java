package io.github.ratelimit.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the guides tell to write can be written. */
class DocumentedYamlTests {

    private static final Pattern BLOCK = Pattern.compile("```yaml\\n(.*?)```", Pattern.DOTALL);

    @ParameterizedTest
    @ValueSource(strings = {"monitoring.md"})
    void documentThenItsYamlHasNoFault(String document) throws IOException {
        List<String> blocks = new ArrayList<>();
        Matcher block = BLOCK.matcher(Files.readString(Path.of("..", "docs", document)));
        while (block.find()) {
            blocks.add(block.group(1));
        }
        assertThat(blocks)
                .isNotEmpty()
                .allSatisfy(yaml -> assertThat(TestConfiguration.yaml(yaml).faultLines())
                        .as(yaml)
                        .isEmpty());
    }
}
