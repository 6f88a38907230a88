package io.github.ratelimit.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A real bash, in which commands are typed as they stand in the documents: its curl is told by its own configuration
 * that what is said to be on port 8080 is elsewhere.
 */
final class Shell {

    /** The status of each answer goes to standard error, unless the command itself says what to write. */
    private static final String CURL = """
            connect-to = ":8080::%d"
            max-time = 30
            write-out = "%%{stderr}status %%{http_code}\\n"
            """;

    private static final String STATUS = "status ";

    private final Path home;

    private Shell(Path home) {
        this.home = home;
    }

    /**
     * What came of a command.
     *
     * @param output the lines that were written
     * @param statuses of the answers, where curl was not told to write something else
     */
    record Typed(int exit, List<String> output, List<Integer> statuses) {}

    /** Opens one, which keeps what it needs in a directory; the test is skipped where it has no curl. */
    static Shell open(Path home, int port) throws IOException {
        assumeInstalled();
        Files.writeString(home.resolve(".curlrc"), CURL.formatted(port));
        return new Shell(home);
    }

    Typed type(String command) {
        Path errors = home.resolve("errors");
        ProcessBuilder bash = new ProcessBuilder("bash", "-c", command)
                .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
                .redirectError(errors.toFile());
        Map<String, String> environment = bash.environment();
        environment.keySet().removeIf(name -> name.toLowerCase(Locale.ROOT).endsWith("_proxy"));
        environment.put("CURL_HOME", home.toString());
        try {
            Process process = bash.start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int exit = process.waitFor();
            List<Integer> statuses = Files.readAllLines(errors).stream()
                    .filter(line -> line.startsWith(STATUS))
                    .map(line -> Integer.valueOf(line.substring(STATUS.length())))
                    .toList();
            return new Typed(exit, output.lines().map(String::strip).toList(), statuses);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static void assumeInstalled() {
        Optional<Path> missing = Stream.of("bash", "curl")
                .filter(program -> Stream.of(System.getenv("PATH").split(":", -1))
                        .noneMatch(directory -> Files.isExecutable(Path.of(directory, program))))
                .map(Path::of)
                .findFirst();
        if ("true".equals(System.getenv("CURL_REQUIRED"))) {
            assertThat(missing).as("what CURL_REQUIRED asks for").isEmpty();
        }
        assumeThat(missing).as("not installed, so nothing can be typed").isEmpty();
    }
}
