package io.github.ratelimit.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.github.ratelimit.sample.Chromium.Tab;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;

/**
 * The console as an operator sees it, in a real browser.
 *
 * <p>Skipped where Chromium is not installed; a failure there if the environment has {@code CHROMIUM_REQUIRED=true}.
 */
@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {
            "ratelimit.zones.login.penalty.after=4",
            "ratelimit.zones.login.penalty.ban=1h",
            "ratelimit.zones.trial.rate=1/m",
            "ratelimit.zones.trial.dry-run=true"
        })
class ConsoleIT {

    private static final String HOSTILE = "<img src=x onerror=alert(1)>\"'&";

    @TempDir
    private static Path directory;

    private static Chromium browser;

    @LocalServerPort
    private int port;

    private final String client = Shop.newClient();
    private Shop shop;
    private Tab tab;

    @BeforeAll
    static void startBrowser() throws IOException {
        Optional<Path> binary = Chromium.find();
        if ("true".equals(System.getenv("CHROMIUM_REQUIRED"))) {
            assertThat(binary).as("chromium, which CHROMIUM_REQUIRED asks for").isPresent();
        }
        assumeThat(binary)
                .as("chromium is not installed, so there is nothing to look at the console with")
                .isPresent();
        browser = Chromium.start(binary.orElseThrow(), directory);
    }

    @AfterAll
    static void stopBrowser() {
        if (browser != null) {
            browser.close();
        }
    }

    @BeforeEach
    void open() {
        shop = new Shop(port);
        for (int i = 0; i < 12; i++) {
            shop.send(shop.request(client, "/api/login;" + i)
                    .header("User-Agent", HOSTILE)
                    .POST(BodyPublishers.noBody()));
        }
        tab = console(1280, 900, false);
    }

    @AfterEach
    void nothingWentWrongInThePage() {
        assertThat(tab.complaints()).isEmpty();
    }

    @Test
    void consoleThenShowsZonesRulesAndWhoWasRefused() {
        eventually(() -> {
            assertThat(tab.text("#zones"))
                    .contains("login", "6/m, burst 5 by client-ip", "ItemController#item", "trial");
            assertThat(tab.text("#name")).isEqualTo("login");
            assertThat(tab.text("#rules")).contains("POST /api/login", "GET /api/items/{id}", "application.yml");
            assertThat(tab.text("#offenders")).contains("198.18.*.*");
            assertThat(tab.text("#recent")).contains("penalty", "limit", "POST /api/login;11");
            assertThat(tab.text("#advice")).contains("half of the keys", "limit now", "suggested");
        });
        assertThat(tab.value("document.querySelectorAll('svg.chart').length").asInt())
                .isGreaterThan(6);
    }

    @Test
    void consoleWhenAClientSendsMarkupThenItIsText() {
        eventually(() -> assertThat(tab.text("#recent")).contains(HOSTILE));
        assertThat(tab.value("document.images.length").asInt()).isZero();
    }

    @Test
    void consoleWhenAskedForAKeyThenTellsItsBanAndSpendsNothing() {
        eventually(() -> assertThat(tab.text("#name")).isEqualTo("login"));
        JsonNode before = shop.report().path("zones").path("login").path("decisions");

        tab.value("document.getElementById('key').focus()");
        tab.type(client);
        tab.press("Enter");

        eventually(() -> assertThat(tab.text("#answer")).contains("198.18.*.*", "0 of 5", "banned", "until "));
        assertThat(tab.text("#answer")).doesNotContain("Release");
        assertThat(shop.report().path("zones").path("login").path("decisions")).isEqualTo(before);
    }

    @Test
    void consoleWhenWritingIsNotAllowedThenOffersNoChange() {
        eventually(() -> assertThat(tab.text("#name")).isEqualTo("login"));
        assertThat(tab.value("document.getElementById('change').hidden").asBoolean())
                .isTrue();
        assertThat(tab.text("#detail")).doesNotContain("Change", "Use suggestion");
    }

    /** What it sends, and what it does with the answers; whether a change works is tested where changes are made. */
    @Test
    void consoleWhenWritingIsAllowedThenChangesAfterAQuestionOnly() {
        tab.reloadWith("""
                window.sent = [];
                const real = window.fetch;
                window.fetch = (url, options) => {
                  const method = options && options.method || 'GET';
                  if (method === 'GET') return real(url, options);
                  if (method === 'OPTIONS') return Promise.resolve(new Response('', { headers: { Allow: 'GET,POST,DELETE' } }));
                  window.sent.push(method + ' ' + url + ' ' + (options.body || ''));
                  return Promise.resolve(window.broken
                    ? new Response('{"detail": "burst is 0; write at least 1"}', { status: 400 })
                    : new Response(null, { status: 204 }));
                };
                """);
        eventually(() -> assertThat(tab.text("#change")).contains("Rate", "Burst", "Most keys", "Dry run"));

        tab.value(
                "document.querySelector('[name=rate]').value = '12/m'; document.querySelector('#change [type=submit]').click()");
        assertThat(tab.text("#ask")).contains("Change zone login?", "rate: 6/m \u2192 12/m");
        tab.press("Escape");
        assertThat(tab.value("document.getElementById('ask').open").asBoolean()).isFalse();
        assertThat(tab.value("window.sent.length").asInt()).isZero();

        tab.value("document.querySelector('#change [type=submit]').click()");
        assertThat(tab.value("document.activeElement.id").asString()).isEqualTo("ask-no");
        tab.press("Tab");
        assertThat(tab.value("document.activeElement.id").asString()).isEqualTo("ask-yes");
        tab.press("Enter");
        eventually(() -> assertThat(tab.value("window.sent.join()").asString())
                .isEqualTo("POST ratelimit/login {\"rate\":\"12/m\"}"));

        tab.value("window.broken = true; document.getElementById('reset').click()");
        tab.value("document.getElementById('ask-yes').click()");
        eventually(() -> assertThat(tab.text("#said")).isEqualTo("burst is 0; write at least 1"));
        assertThat(tab.value("window.sent[1]").asString()).isEqualTo("DELETE ratelimit/login ");
    }

    @Test
    void consoleWhenAZoneIsChosenByKeyboardThenShowsIt() {
        eventually(() -> assertThat(tab.text("#name")).isEqualTo("login"));
        tab.value("document.querySelector('a[href=\"#trial\"]').focus()");
        tab.press("Enter");
        eventually(() -> {
            assertThat(tab.text("#name")).isEqualTo("trial");
            assertThat(tab.text("#badges")).isEqualTo("dry run");
        });
    }

    @Test
    void consoleWhenTheWindowIsNarrowOrDarkThenNothingSticksOut() {
        for (int width : new int[] {1280, 768, 390}) {
            tab = console(width, 844, width == 768);
            eventually(() -> assertThat(tab.text("#recent")).contains(HOSTILE));
            assertThat(tab.value("document.documentElement.scrollWidth - innerWidth")
                            .asInt())
                    .isLessThanOrEqualTo(0);
            assertThat(tab.value("""
                    [...document.querySelectorAll('#detail .panel')].filter(panel =>
                      panel.getBoundingClientRect().right > innerWidth).length
                    """).asInt()).isZero();
        }
    }

    private Tab console(int width, int height, boolean dark) {
        return browser.open("http://localhost:" + port + "/actuator/ratelimitconsole", width, height, dark);
    }

    private static void eventually(ThrowingRunnable assertion) {
        await().atMost(Duration.ofSeconds(40)).untilAsserted(assertion);
    }
}
