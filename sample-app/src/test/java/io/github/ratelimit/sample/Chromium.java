package io.github.ratelimit.sample;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A real browser without a window, led by its own DevTools protocol; everything it writes is in one directory. */
final class Chromium implements AutoCloseable {

    private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome");
    private static final JsonMapper JSON = new JsonMapper();
    private static final Map<String, Integer> KEY_CODES = Map.of("Tab", 9, "Enter", 13, "Escape", 27);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Process process;
    private final WebSocket socket;
    private final Answers answers = new Answers();
    private final AtomicInteger ids = new AtomicInteger();

    private Chromium(Process process, URI devTools) {
        this.process = process;
        this.socket = HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .buildAsync(devTools, answers)
                .join();
    }

    /** Where a browser is installed; empty when none is. */
    static Optional<Path> find() {
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Stream.of(path.split(":", -1))
                .filter(directory -> !directory.isEmpty())
                .flatMap(directory -> NAMES.stream().map(name -> Path.of(directory, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Starts one. It runs without its sandbox, which root may not have: it only ever sees the page under test. */
    static Chromium start(Path binary, Path directory) throws IOException {
        Path port = directory.resolve("DevToolsActivePort");
        Process process = new ProcessBuilder(
                        binary.toString(),
                        "--headless=new",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--hide-scrollbars",
                        "--no-first-run",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + directory,
                        "about:blank")
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("output").toFile())
                .start();
        try {
            await().atMost(PATIENCE)
                    .until(() -> Files.exists(port) && Files.readAllLines(port).size() == 2);
            List<String> lines = Files.readAllLines(port);
            return new Chromium(process, URI.create("ws://127.0.0.1:" + lines.get(0) + lines.get(1)));
        } catch (RuntimeException | IOException e) {
            process.destroyForcibly();
            throw new IllegalStateException("Chromium: " + Files.readString(directory.resolve("output")), e);
        }
    }

    /** Opens a page of that size. */
    Tab open(String url, int width, int height, boolean dark) {
        JsonNode target = send(null, "Target.createTarget", Map.of("url", "about:blank"));
        JsonNode attached = send(
                null,
                "Target.attachToTarget",
                Map.of("targetId", target.path("targetId").asString(), "flatten", true));
        Tab tab = new Tab(attached.path("sessionId").asString());
        tab.open(url, width, height, dark);
        return tab;
    }

    @Override
    public void close() {
        socket.abort();
        // its children write to the profile for as long as they live, and nobody could delete it
        List<ProcessHandle> family = Stream.concat(Stream.of(process.toHandle()), process.descendants())
                .toList();
        process.destroy();
        family.forEach(Chromium::awaitEnd);
    }

    private static void awaitEnd(ProcessHandle process) {
        process.onExit()
                .completeOnTimeout(process, 5, TimeUnit.SECONDS)
                .thenAccept(ProcessHandle::destroyForcibly)
                .thenCompose(forced -> process.onExit())
                .completeOnTimeout(process, 5, TimeUnit.SECONDS)
                .join();
    }

    private JsonNode send(@Nullable String session, String method, Map<String, ?> parameters) {
        int id = ids.incrementAndGet();
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        answers.awaited.put(id, answer);
        Map<String, Object> message = new LinkedHashMap<>(Map.of("id", id, "method", method, "params", parameters));
        if (session != null) {
            message.put("sessionId", session);
        }
        synchronized (socket) {
            socket.sendText(JSON.writeValueAsString(message), true).join();
        }
        JsonNode result =
                answer.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        if (result.has("error")) {
            throw new IllegalStateException(method + ": " + result.path("error"));
        }
        return result.path("result");
    }

    /** One page. */
    final class Tab {

        private final String session;

        private Tab(String session) {
            this.session = session;
        }

        private void open(String url, int width, int height, boolean dark) {
            for (String domain : List.of("Page", "Runtime", "Log")) {
                send(session, domain + ".enable", Map.of());
            }
            send(
                    session,
                    "Emulation.setDeviceMetricsOverride",
                    Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 600));
            send(
                    session,
                    "Emulation.setEmulatedMedia",
                    Map.of(
                            "features",
                            List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
            send(session, "Page.navigate", Map.of("url", url));
        }

        /** Runs a script before any of the page's, in each page that is opened from now on, and loads the page anew. */
        void reloadWith(String script) {
            send(session, "Page.addScriptToEvaluateOnNewDocument", Map.of("source", script));
            send(session, "Page.reload", Map.of());
        }

        /** The value of an expression, promises awaited. */
        JsonNode value(String expression) {
            JsonNode result = send(
                    session,
                    "Runtime.evaluate",
                    Map.of("expression", expression, "returnByValue", true, "awaitPromise", true));
            if (result.has("exceptionDetails")) {
                throw new IllegalStateException(expression + ": " + result.path("exceptionDetails"));
            }
            return result.path("result").path("value");
        }

        /** The text that a user sees in the first element of this kind. */
        String text(String selector) {
            return value("document.querySelector(" + JSON.writeValueAsString(selector) + ")?.innerText ?? ''")
                    .asString();
        }

        /** Presses a key that a browser acts upon. */
        void press(String key) {
            int code = KEY_CODES.getOrDefault(key, 0);
            Map<String, Object> event = Map.of("key", key, "code", key, "windowsVirtualKeyCode", code);
            Map<String, Object> down = new LinkedHashMap<>(event);
            boolean writes = key.equals("Enter");
            down.put("type", writes ? "keyDown" : "rawKeyDown");
            if (writes) {
                down.put("text", "\r");
            }
            send(session, "Input.dispatchKeyEvent", down);
            Map<String, Object> up = new LinkedHashMap<>(event);
            up.put("type", "keyUp");
            send(session, "Input.dispatchKeyEvent", up);
        }

        /** Types a text where the focus is. */
        void type(String text) {
            send(session, "Input.insertText", Map.of("text", text));
        }

        /** What went wrong in the page: exceptions, refused resources, breaches of its policy. */
        List<String> complaints() {
            return answers.events.stream()
                    .filter(event -> event.path("sessionId").asString().equals(session))
                    .filter(COMPLAINT)
                    .map(JsonNode::toString)
                    .toList();
        }

        /** A picture of the window. */
        void shoot(Path file) throws IOException {
            String data = send(session, "Page.captureScreenshot", Map.of("format", "png"))
                    .path("data")
                    .asString();
            Files.write(file, Base64.getDecoder().decode(data));
        }
    }

    private static final Predicate<JsonNode> COMPLAINT =
            event -> switch (event.path("method").asString()) {
                case "Runtime.exceptionThrown", "Page.javascriptDialogOpening" -> true;
                case "Runtime.consoleAPICalled" ->
                    event.path("params").path("type").asString().equals("error");
                case "Log.entryAdded" ->
                    event.path("params").path("entry").path("level").asString().equals("error");
                default -> false;
            };

    /** Puts together what the browser says. */
    private static final class Answers implements WebSocket.Listener {

        final Map<Integer, CompletableFuture<JsonNode>> awaited = new ConcurrentHashMap<>();
        final List<JsonNode> events = new CopyOnWriteArrayList<>();
        private final StringBuilder message = new StringBuilder();

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence part, boolean last) {
            message.append(part);
            if (last) {
                JsonNode json = JSON.readTree(message.toString());
                message.setLength(0);
                CompletableFuture<JsonNode> answer =
                        awaited.remove(json.path("id").asInt(-1));
                if (answer != null) {
                    answer.complete(json);
                } else {
                    events.add(json);
                }
            }
            socket.request(1);
            return null;
        }
    }
}
