package io.github.ratelimit.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.key.RateLimitKey.Kind;
import io.github.ratelimit.observe.MaskedKey;
import java.security.Principal;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;

class KeyMaskTests {

    private static final RateLimitKey KEY = RateLimitKey.ofText("alice");

    @ParameterizedTest
    @CsvSource({
        "ADDRESS, 203.0.113.7,           203.0.*.*",
        "ADDRESS, 1.2.3.4,               1.2.*.*",
        "ADDRESS, 2001:db8:1:2::,        2001:db8:*",
        "ADDRESS, 2001:db8::1,           2001:db8:*",
        "ADDRESS, 2001::1,               2001:0:*",
        "ADDRESS, ::1,                   0:0:*",
        "ADDRESS, ::,                    0:0:*",
        "ADDRESS, 2001:db8:1:2:3:4:5:6,  2001:db8:*",
        "TEXT,    alice,                 al*",
        "TEXT,    203.0.113.7,           20*",
        "TEXT,    abc,                   a*",
        "TEXT,    ab,                    a*",
        "TEXT,    a,                     *",
        "TEXT,    '',                    *",
        "TEXT,    \uD83D\uDE00\uD83D\uDE01\uD83D\uDE02\uD83D\uDE03\uD83D\uDE04, \uD83D\uDE00\uD83D\uDE01*",
        "DIGEST,  9f86d081884c7d659a2feaa0c55ad015, 9f86*",
    })
    void maskedThenTellsNeighboursApartButNotWhoItIs(Kind kind, String text, String masked) {
        assertThat(MaskedKey.of(kind, text)).isEqualTo(masked);
    }

    @Test
    void shownWhenSecretThenNothingOfItIsShownEvenInFull() {
        RateLimitKey secret = RateLimitKey.ofSecret("test");
        assertThat(new KeyMask(Show.NEVER, Set.of()).shown(secret, anonymous())).isEqualTo("9f86*");
        assertThat(new KeyMask(Show.ALWAYS, Set.of()).shown(secret, anonymous()))
                .isEqualTo("9f86d081884c7d659a2feaa0c55ad015");
    }

    @Test
    void shownWhenNeverThenMaskedForEverybody() {
        KeyMask mask = new KeyMask(Show.NEVER, Set.of());
        assertThat(mask.shown(KEY, anonymous())).isEqualTo("al*");
        assertThat(mask.shown(KEY, user("OPS"))).isEqualTo("al*");
    }

    @Test
    void shownWhenAlwaysThenInFullForEverybody() {
        assertThat(new KeyMask(Show.ALWAYS, Set.of()).shown(KEY, anonymous())).isEqualTo("alice");
    }

    @Test
    void shownWhenAuthorizedWithoutRolesThenInFullForAnybodyAuthenticated() {
        KeyMask mask = new KeyMask(Show.WHEN_AUTHORIZED, Set.of());
        assertThat(mask.shown(KEY, anonymous())).isEqualTo("al*");
        assertThat(mask.shown(KEY, user("USER"))).isEqualTo("alice");
    }

    @Test
    void shownWhenAuthorizedWithRolesThenInFullForThoseRolesOnly() {
        KeyMask mask = new KeyMask(Show.WHEN_AUTHORIZED, Set.of("OPS"));
        assertThat(mask.shown(KEY, user("USER"))).isEqualTo("al*");
        assertThat(mask.shown(KEY, user("OPS"))).isEqualTo("alice");
    }

    private static SecurityContext anonymous() {
        return SecurityContext.NONE;
    }

    private static SecurityContext user(String role) {
        return new SecurityContext() {

            @Override
            public Principal getPrincipal() {
                return () -> "somebody";
            }

            @Override
            public boolean isUserInRole(String asked) {
                return asked.equals(role);
            }
        };
    }
}
