package io.github.ratelimit.web;

import static io.github.ratelimit.web.HostileApplication.CHARGED;
import static io.github.ratelimit.web.HostileApplication.HANDLER;
import static io.github.ratelimit.web.HostileApplication.PATHS;
import static io.github.ratelimit.web.HostileApplication.RULES;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.fixture.RawHttp;
import io.github.ratelimit.fixture.RawHttp.Answer;
import io.github.ratelimit.fixture.RawHttp2;
import io.github.ratelimit.fixture.WebServer;
import io.github.ratelimit.web.HostileSettings.AntAnyCase;
import io.github.ratelimit.web.HostileSettings.AnyCase;
import io.github.ratelimit.web.HostileSettings.DecodingJetty;
import io.github.ratelimit.web.HostileSettings.DecodingTomcat;
import io.github.ratelimit.web.HostileSettings.LegacyJetty;
import io.github.ratelimit.web.HostileSettings.NoTrailingSlash;
import io.github.ratelimit.web.HostileSettings.PassingTomcat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * No spelling of a path reaches a handler without being charged by the rule of that handler: each is sent as it is over a
 * socket, the application says which handler it has reached, and the limiter what it has charged (RL-01, RL-04).
 */
class HostilePathTests {

    /** How many are drawn of all spellings, for each application. */
    private static final int SPELLINGS = 800;

    /** How many of these at least have to reach a handler, lest the test mean nothing. */
    private static final int FEWEST_SPELLINGS = 70;
    /** Jetty as it is and Spring together refuse more of them. */
    private static final int FEWEST_ON_JETTY = 40;

    @TempDir
    private static Path directory;

    static Stream<Arguments> applications() {
        return Stream.of(
                application("path patterns", "", "", HostileApplication.class),
                application("path patterns, any case", "", "", AnyCase.class, HostileApplication.class),
                application("trailing slashes removed", "", "", NoTrailingSlash.class, HostileApplication.class),
                application("Ant", ANT, "", HostileApplication.class),
                application("Ant, any case", ANT, "", AntAnyCase.class, HostileApplication.class),
                application("context path", CONTEXT, "/ctx", HostileApplication.class),
                application("context path, Ant", CONTEXT + ANT, "/ctx", HostileApplication.class),
                application("servlet path", SERVLET, "", HostileApplication.class),
                application("servlet path, Ant", SERVLET + ANT, "", HostileApplication.class),
                application("both paths", CONTEXT + SERVLET, "/ctx", HostileApplication.class),
                application("both paths, Ant", CONTEXT + SERVLET + ANT, "/ctx", HostileApplication.class),
                application("decoding Tomcat", "", "", DecodingTomcat.class, HostileApplication.class),
                application("decoding Tomcat, Ant", ANT, "", DecodingTomcat.class, HostileApplication.class),
                application(
                        "decoding Tomcat, both paths",
                        CONTEXT + SERVLET,
                        "/ctx",
                        DecodingTomcat.class,
                        HostileApplication.class),
                application("passing Tomcat", "", "", PassingTomcat.class, HostileApplication.class),
                application("passing Tomcat, Ant", ANT, "", PassingTomcat.class, HostileApplication.class),
                application(
                        "passing Tomcat, both paths, Ant, any case",
                        CONTEXT + SERVLET + ANT,
                        "/ctx",
                        PassingTomcat.class,
                        AntAnyCase.class,
                        HostileApplication.class),
                application("Jetty", JETTY, "", HostileApplication.class),
                application("Jetty, any case", JETTY, "", AnyCase.class, HostileApplication.class),
                application("Jetty, Ant", JETTY + ANT, "", HostileApplication.class),
                application("Jetty, context path", JETTY + CONTEXT, "/ctx", HostileApplication.class),
                application(
                        "Jetty, both paths, Ant", JETTY + CONTEXT + SERVLET + ANT, "/ctx", HostileApplication.class),
                application("legacy Jetty", JETTY, "", LegacyJetty.class, HostileApplication.class),
                application(
                        "legacy Jetty, both paths, Ant",
                        JETTY + CONTEXT + SERVLET + ANT,
                        "/ctx",
                        LegacyJetty.class,
                        HostileApplication.class),
                application("decoding Jetty", JETTY, "", DecodingJetty.class, HostileApplication.class),
                application("decoding Jetty, Ant", JETTY + ANT, "", DecodingJetty.class, HostileApplication.class),
                application(
                        "decoding Jetty, context path, any case",
                        JETTY + CONTEXT,
                        "/ctx",
                        AnyCase.class,
                        DecodingJetty.class,
                        HostileApplication.class),
                application(
                        "decoding Jetty, both paths, Ant, any case",
                        JETTY + CONTEXT + SERVLET + ANT,
                        "/ctx",
                        AntAnyCase.class,
                        DecodingJetty.class,
                        HostileApplication.class));
    }

    static Stream<Arguments> applicationsOverHttp2() {
        return Stream.of(
                application("Tomcat", "", "", HostileApplication.class),
                application("Tomcat, Ant", ANT, "", HostileApplication.class),
                application(
                        "decoding Tomcat, both paths",
                        CONTEXT + SERVLET,
                        "/ctx",
                        DecodingTomcat.class,
                        HostileApplication.class),
                application("Jetty", JETTY, "", HostileApplication.class),
                application("decoding Jetty", JETTY, "", DecodingJetty.class, HostileApplication.class),
                application(
                        "decoding Jetty, both paths, Ant",
                        JETTY + CONTEXT + SERVLET + ANT,
                        "/ctx",
                        DecodingJetty.class,
                        HostileApplication.class));
    }

    static Stream<Arguments> lenientApplications() {
        return Stream.of(
                application("decoding Tomcat", "", "", DecodingTomcat.class, HostileApplication.class),
                application("passing Tomcat, Ant", ANT, "", PassingTomcat.class, HostileApplication.class),
                application("legacy Jetty", JETTY, "", LegacyJetty.class, HostileApplication.class),
                application("legacy Jetty, Ant", JETTY + ANT, "", LegacyJetty.class, HostileApplication.class),
                application("decoding Jetty", JETTY, "", DecodingJetty.class, HostileApplication.class));
    }

    private static final String HTTP2 = "server.http2.enabled: true\n";
    private static final String JETTY = WebServer.on("jetty");
    private static final String ANT = "spring.mvc.pathmatch.matching-strategy: ant-path-matcher\n";
    private static final String CONTEXT = "server.servlet.context-path: /ctx\n";
    private static final String SERVLET = "spring.mvc.servlet.path: /app\n";

    private static Arguments application(String name, String yaml, String context, Class<?>... sources) {
        return Arguments.of(name, yaml, context, sources);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("applications")
    void requestWhenSpeltInAnyWayThenIsChargedByTheRuleOfItsHandler(
            String name, String yaml, String context, Class<?>[] sources) throws IOException {
        String app = yaml.contains(SERVLET) ? "/app" : "";
        try (WebServer server = WebServer.start(yaml(yaml, app), sources);
                RawHttp client = new RawHttp(server.port())) {
            noneEscapes(
                    targets(context, app, new Random(name.hashCode())),
                    target -> client.send("GET", target, WEB_SOCKET),
                    app,
                    yaml.contains(JETTY) ? FEWEST_ON_JETTY : FEWEST_SPELLINGS);
        }
    }

    private static final String[] WEB_SOCKET = {
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
    };

    /** In a field of HTTP/2 a path may have bytes that would end a request line, and need not begin with a slash. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("applicationsOverHttp2")
    void requestWhenSpeltInBytesOfHttp2ThenIsChargedByTheRuleOfItsHandler(
            String name, String yaml, String context, Class<?>[] sources) throws IOException {
        String app = yaml.contains(SERVLET) ? "/app" : "";
        try (WebServer server = WebServer.start(yaml(HTTP2 + yaml, app), sources);
                RawHttp2 client = new RawHttp2(server.port())) {
            Random random = new Random(name.hashCode());
            List<String> targets = new ArrayList<>(List.of(""));
            for (String target : targets(context, app, random)) {
                targets.add(random.nextBoolean() ? target : Spellings.unescaped(target));
            }
            noneEscapes(targets, client::get, app, yaml.contains(JETTY) ? FEWEST_ON_JETTY : FEWEST_SPELLINGS);
        }
    }

    private static void noneEscapes(List<String> targets, Function<String, Answer> client, String app, int fewest) {
        Map<String, Collection<String>> reached = new HashMap<>();
        List<String> escaped = new ArrayList<>();
        for (String target : targets) {
            Answer answer = client.apply(target);
            String rule = rule(answer, app);
            if (!rule.isEmpty()) {
                reached.computeIfAbsent(rule, key -> new TreeSet<>()).add(target);
                if (!List.of(answer.header(CHARGED).split(",")).contains(rule)) {
                    escaped.add(target + " reached " + rule + ", charged " + answer.headers(CHARGED));
                }
            }
        }
        assertThat(escaped).isEmpty();
        assertThat(reached.keySet()).containsAll(handlers(app));
        assertThat(reached.values().stream().mapToInt(Collection::size).sum()).isGreaterThan(fewest);
    }

    /** Whoever is served without the limiter is served with it, as long as he has permits. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("lenientApplications")
    void requestWhenSpeltInAnyWayThenReachesTheHandlerThatItReachesWithoutTheLimiter(
            String name, String yaml, String context, Class<?>[] sources) throws IOException {
        String app = yaml.contains(SERVLET) ? "/app" : "";
        List<String> targets = targets(context, app, new Random(name.hashCode()));
        Map<String, String> without = reached(targets, yaml(yaml, app) + "ratelimit.enabled: false\n", app, sources);
        Map<String, String> with = reached(targets, yaml(yaml, app), app, sources);
        assertThat(with).isEqualTo(without);
    }

    private static Map<String, String> reached(List<String> targets, String yaml, String app, Class<?>[] sources) {
        Map<String, String> reached = new LinkedHashMap<>();
        try (WebServer server = WebServer.start(yaml, sources);
                RawHttp client = new RawHttp(server.port())) {
            for (String target : targets) {
                Answer answer = client.send("GET", target, WEB_SOCKET);
                reached.put(target, answer.status() + rule(answer, app));
            }
        }
        return reached;
    }

    private static String yaml(String yaml, String app) throws IOException {
        write("images/cat.txt", "/images");
        write("pages/kiss.txt", "/pages/kiss.txt");
        StringBuilder all = new StringBuilder(WebServer.WITHOUT_SECURITY)
                .append("spring.web.resources.static-locations: \"file:")
                .append(directory)
                .append("/,classpath:/hostile/\"\n")
                .append(yaml)
                .append("ratelimit.rules:\n");
        for (String rule : RULES) {
            all.append("  - { path: \"").append(prefixed(rule, app)).append("\", rate: 1000000/s }\n");
        }
        return all.toString();
    }

    private static void write(String file, String text) throws IOException {
        Files.createDirectories(directory.resolve(file).getParent());
        Files.writeString(directory.resolve(file), text);
    }

    /** Handlers of Spring MVC are below its servlet, others are not. */
    private static String prefixed(String rule, String app) {
        return rule.startsWith("/legacy") || rule.equals("/exact") ? rule : app + rule;
    }

    private static List<String> handlers(String app) {
        return RULES.stream()
                .filter(rule -> !rule.equals("/legacy"))
                .map(rule -> prefixed(rule, app))
                .toList();
    }

    private static List<String> targets(String context, String app, Random random) {
        List<String> targets = new ArrayList<>();
        for (String path : PATHS) {
            String whole = context + prefixed(path, app);
            targets.addAll(Spellings.of(whole));
            for (int i = 0; i < 100; i++) {
                targets.add(Spellings.random(whole, random));
            }
        }
        Collections.shuffle(targets, random);
        List<String> drawn = new ArrayList<>(targets.subList(0, SPELLINGS));
        PATHS.forEach(path -> drawn.add(context + prefixed(path, app)));
        return drawn;
    }

    /** The rule of the handler that has answered: a handler says so in a header, a file is its own rule. */
    private static String rule(Answer answer, String app) {
        String handler = answer.header(HANDLER);
        if (handler.isEmpty() && answer.body().startsWith("/") && answer.status() == 200) {
            handler = answer.body();
        }
        return handler.isEmpty() ? "" : prefixed(handler, app);
    }
}
