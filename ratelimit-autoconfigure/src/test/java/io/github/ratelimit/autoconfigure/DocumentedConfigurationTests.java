package io.github.ratelimit.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jackson.JacksonEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementContextAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.servlet.autoconfigure.actuate.web.ServletManagementContextAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

/** What README and guides tell people to write and to type works. */
class DocumentedConfigurationTests {

    private static final String FENCE = "```";
    private static final String CURL = "curl -s ";
    private static final String HOST = "localhost:8080";

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

    @Test
    void rolloutWhenItsCommandsAreTypedInTheirOrderThenEachDoesWhatItSays() {
        List<String> commands = blocks("docs/rollout.md")
                .filter(block -> block.language().equals("sh"))
                .flatMap(block -> block.text().lines())
                .filter(line -> line.startsWith(CURL))
                .toList();
        assertThat(commands).hasSizeGreaterThan(6);
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        JacksonAutoConfiguration.class,
                        HttpMessageConvertersAutoConfiguration.class,
                        DispatcherServletAutoConfiguration.class,
                        WebMvcAutoConfiguration.class,
                        EndpointAutoConfiguration.class,
                        WebEndpointAutoConfiguration.class,
                        JacksonEndpointAutoConfiguration.class,
                        ManagementContextAutoConfiguration.class,
                        ServletManagementContextAutoConfiguration.class,
                        RateLimitAutoConfiguration.class,
                        RateLimitEndpointAutoConfiguration.class))
                .withPropertyValues(
                        "management.endpoints.web.exposure.include=ratelimit",
                        "management.endpoint.ratelimit.access=UNRESTRICTED",
                        "ratelimit.zones.api.rate=20/s",
                        "ratelimit.rules[0].path=/api",
                        "ratelimit.rules[0].zones=api")
                .run(context -> {
                    MockMvcTester mvc = MockMvcTester.from(context);
                    commands.forEach(command ->
                            assertThat(typed(command, mvc)).as(command).hasStatus2xxSuccessful());
                });
    }

    private static MvcTestResult typed(String command, MockMvcTester mvc) {
        String method = command.contains("-X ") ? command.split("-X ", -1)[1].split(" ", -1)[0] : "GET";
        String url = command.substring(command.indexOf(HOST) + HOST.length()).split(" ", -1)[0];
        String body = command.contains("-d '") ? command.split("-d '", -1)[1].split("'", -1)[0] : "";
        return mvc.method(HttpMethod.valueOf(method))
                .uri(URI.create(url))
                .contentType(MediaType.APPLICATION_JSON)
                .content(body)
                .exchange();
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
