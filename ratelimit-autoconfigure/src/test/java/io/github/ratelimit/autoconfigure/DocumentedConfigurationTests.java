package io.github.ratelimit.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What README and guides tell people to write works. */
class DocumentedConfigurationTests {

    private static final String FENCE = "```";

    /**
     * A block of code between fences.
     *
     * @param where file and line
     * @param language what stands behind the fence
     * @param text what is between them
     */
    private record Block(String where, String language, String text) {

        @Override
        public String toString() {
            return where;
        }
    }

    @ParameterizedTest
    @MethodSource("configurations")
    void yamlWhenWrittenAsDocumentedThenItIsPutInForce(Block block) {
        assertThat(TestConfiguration.yaml(block.text()).faultLines()).isEmpty();
    }

    @Test
    void guidesThenHaveConfigurations() {
        assertThat(configurations()).extracting(Block::where).anyMatch(where -> where.startsWith("README.md"));
        assertThat(configurations()).extracting(Block::where).anyMatch(where -> where.startsWith("migrating.md"));
    }

    static List<Block> configurations() {
        List<Block> found = new ArrayList<>();
        for (String file : List.of("README.md", "docs")) {
            blocks(file)
                    .filter(block -> block.language().equals("yaml"))
                    .filter(block -> block.text()
                            .lines()
                            .anyMatch(line -> line.startsWith("ratelimit:") || line.startsWith("ratelimit.")))
                    .forEach(found::add);
        }
        return found;
    }

    /** The blocks of a file, or of the files of a folder, from the root of the project. */
    private static Stream<Block> blocks(String path) {
        Path file = Path.of("..").resolve(path);
        try {
            if (!Files.isDirectory(file)) {
                return blocks(file).stream();
            }
            List<Block> blocks = new ArrayList<>();
            try (Stream<Path> files = Files.list(file)) {
                for (Path guide : files.filter(each -> each.toString().endsWith(".md"))
                        .sorted()
                        .toList()) {
                    blocks.addAll(blocks(guide));
                }
            }
            return blocks.stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Block> blocks(Path file) throws IOException {
        List<Block> blocks = new ArrayList<>();
        List<String> lines = Files.readAllLines(file);
        int start = -1;
        for (int i = 0; i < lines.size(); i++) {
            if (!lines.get(i).startsWith(FENCE)) {
                continue;
            }
            if (start < 0) {
                start = i;
            } else {
                String where = file.getFileName() + ", line " + (start + 2);
                String language = lines.get(start).substring(FENCE.length()).strip();
                blocks.add(new Block(where, language, String.join("\n", lines.subList(start + 1, i))));
                start = -1;
            }
        }
        return blocks;
    }
}
