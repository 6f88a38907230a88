package io.github.ratelimit.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

/** No spelling of a request escapes the rule that its handler falls under: raw targets on a plain socket. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
class SpellingIT {

    @LocalServerPort
    private int port;

    private final String client = Shop.newClient();
    private Shop shop;

    @BeforeEach
    void open() {
        shop = new Shop(port);
    }

    /** RL-01. */
    @Test
    void loginWhenSpeltInAnyWayThenAllSpellingsShareOneBudget() {
        List<String> spellings =
                List.of("/api/login", "/api/login;x=1", "/api;x/login", "/api/%6cogin", "/%61pi/login");

        assertThat(spellings).allSatisfy(spelling -> assertThat(login(spelling)).isEqualTo(401));
        assertThat(spellings).allSatisfy(spelling -> assertThat(login(spelling)).isEqualTo(429));
        assertThat(login("/api/login?x=1")).isEqualTo(429);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "//api/login",
                "/api//login",
                "/api/./login",
                "/api/x/../login",
                "/api/login/",
                "/api;/login;",
                "/%61%70%69/%6c%6f%67%69%6e",
                "/api/login;jsessionid=0?username=demo",
            })
    void loginWhenSpentThenNoOtherSpellingReachesTheApplication(String spelling) {
        for (int i = 0; i < 5; i++) {
            login("/api/login");
        }

        assertThat(login(spelling)).isEqualTo(429);
    }

    @Test
    void loginWhenAnotherVerbThenNotCharged() {
        for (int i = 0; i < 6; i++) {
            assertThat(shop.raw(client, "GET", "/api/login")).isEqualTo(405);
        }

        assertThat(login("/api/login")).isEqualTo(401);
    }

    @Test
    void loginWhenALongerNameThenNotCharged() {
        for (int i = 0; i < 6; i++) {
            assertThat(login("/api/loginx")).isEqualTo(404);
        }

        assertThat(login("/api/login")).isEqualTo(401);
    }

    @Test
    void itemWhenHeadThenCountsAsGet() {
        for (int i = 0; i < 200 && shop.raw(client, "HEAD", "/api/items/1") == 200; i++) {
            assertThat(i).as("requests admitted").isLessThan(100);
        }

        assertThat(shop.raw(client, "GET", "/api/items/1")).isEqualTo(429);
    }

    private int login(String target) {
        return shop.raw(client, "POST", target);
    }
}
