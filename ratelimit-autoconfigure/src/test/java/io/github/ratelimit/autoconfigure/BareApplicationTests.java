package io.github.ratelimit.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.RateLimited;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** An application in a JVM of its own whose class path really lacks every optional library. */
class BareApplicationTests {

    private static final List<String> OPTIONAL =
            List.of("actuator", "micrometer-core", "micrometer-registry", "prometheus", "security", "redis", "lettuce");

    private final HttpClient client = HttpClient.newHttpClient();
    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void stop() {
        processes.forEach(Process::destroyForcibly);
    }

    @Test
    void fiveLinesWhenNoOptionalLibraryIsPresentThenLimit() throws Exception {
        int port =
                start("--ratelimit.rules[0].path=/a", "--ratelimit.rules[0].rate=1/d", "--ratelimit.rules[0].burst=2");
        assertThat(statuses(port, "/a", 3)).containsExactly(200, 200, 429);
        assertThat(statuses(port, "/annotated", 2)).containsExactly(200, 429);
        assertThat(statuses(port, "/free", 4)).containsOnly(200);
    }

    private int start(String... arguments) throws IOException {
        String classPath = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry ->
                        OPTIONAL.stream().noneMatch(Path.of(entry).getFileName().toString()::contains))
                .collect(Collectors.joining(File.pathSeparator));
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-cp",
                classPath,
                BareApplication.class.getName(),
                "--server.port=0"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        processes.add(process);
        StringBuilder output = new StringBuilder();
        BufferedReader lines = process.inputReader();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            output.append(line).append('\n');
            if (line.startsWith("PORT ")) {
                return Integer.parseInt(line.substring(5));
            }
        }
        throw new AssertionError("It did not start:\n" + output);
    }

    private List<Integer> statuses(int port, String path, int times) throws IOException, InterruptedException {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            URI uri = URI.create("http://localhost:" + port + path);
            statuses.add(client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding())
                    .statusCode());
        }
        return statuses;
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class BareApplication {

        public static void main(String[] arguments) {
            SpringApplication.run(BareApplication.class, arguments);
        }

        @Bean
        static ApplicationListener<WebServerInitializedEvent> port() {
            return event -> System.out.println("PORT " + event.getWebServer().getPort());
        }

        @Bean
        static Shop shop() {
            return new Shop();
        }
    }

    @RestController
    static class Shop {

        @GetMapping({"/a", "/free"})
        String page() {
            return "page";
        }

        @GetMapping("/annotated")
        @RateLimited(rate = "1/d")
        String annotated() {
            return "annotated";
        }
    }
}
