package io.github.ratelimit.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.key.RequestPath;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RuleTableTests {

    @ParameterizedTest
    @CsvSource(textBlock = """
            # method, path,                     rule
            GET,      /api,                     /api
            GET,      /api/x/y,                 /api
            GET,      /apiv2,                   ''
            GET,      /ap,                      ''
            GET,      /,                        ''
            GET,      /api/search,              /api/search
            GET,      /api/search/q,            /api/search
            GET,      /api/searching,           /api
            POST,     /api/login,               POST /api/login
            POST,     /api/login/x,             POST /api/login
            GET,      /api/login,               /api/login
            PUT,      /api/login,               /api/login
            PROPFIND, /api/login,               /api/login
            GET,      /api/loginx,              /api
            PATCH,    /orders,                  ''
            PUT,      /orders/7,                'GET,PUT /orders'
            GET,      /tenants,                 ''
            GET,      /tenants/a,               /tenants/{tenant}
            GET,      /tenants/a/x,             /tenants/{tenant}
            GET,      /tenants/root,            /tenants/root
            GET,      /tenants/a/users,         /tenants/{tenant}/users
            GET,      /tenants/root/users,      /tenants/{tenant}/users
            GET,      /tenants/root/users/1,    /tenants/{tenant}/users
            GET,      /tenants/root/x,          /tenants/root
            DELETE,   /tenants/root/audit/1,    DELETE /tenants/root/audit
            GET,      /tenants/root/audit/1,    /tenants/root
            GET,      /a/b/c,                   /a/{y}/c
            GET,      /{z}/b,                   ''
            """)
    void findWhenRulesOverlapThenMostSpecificWins(String method, String path, String expected) {
        List<Rule> rules = new ArrayList<>(List.of(
                rule("/api"),
                rule("/api/search"),
                rule("/api/login"),
                rule("/api/login", "POST"),
                rule("/orders", "GET", "PUT"),
                rule("/tenants/{tenant}"),
                rule("/tenants/{tenant}/users"),
                rule("/tenants/root"),
                rule("/tenants/root/audit", "DELETE"),
                rule("/a/{y}/c"),
                rule("/{x}/b/c")));
        for (int seed = 0; seed < 20; seed++) {
            Collections.shuffle(rules, new Random(seed));
            assertThat(name(new RuleTable(rules, true).find(new RequestPath(path), method)))
                    .isEqualTo(expected);
        }
    }

    @Test
    void findWhenRootRuleThenCoversEverything() {
        RuleTable table = new RuleTable(List.of(rule("/"), rule("/a")), true);
        assertThat(name(table.find(RequestPath.ROOT, "GET"))).isEqualTo("/");
        assertThat(name(table.find(new RequestPath("/b/c"), "GET"))).isEqualTo("/");
        assertThat(name(table.find(new RequestPath("/a/c"), "GET"))).isEqualTo("/a");
    }

    @Test
    void findWhenThereAreNoRulesThenIsNull() {
        assertThat(new RuleTable(List.of(), true).find(new RequestPath("/a"), "GET"))
                .isNull();
        assertThat(new RuleTable(List.of(), false).find(RequestPath.ROOT, "GET"))
                .isNull();
    }

    @Test
    void aboveWhenInheritingThenClimbsToTheRoot() {
        RuleTable table = new RuleTable(
                List.of(
                        rule("/"),
                        rule("/a", "POST"),
                        rule("/a"),
                        rule("/a/{x}"),
                        rule("/a/b"),
                        rule("/a/b/c/d"),
                        rule("/a/{x}/c")),
                true);
        RequestPath path = new RequestPath("/a/b/c/d/e");
        List<String> climbed = new ArrayList<>();
        for (Rule rule = table.find(path, "POST"); rule != null; rule = table.above(rule, path, "POST")) {
            climbed.add(rule.name());
        }
        assertThat(climbed).containsExactly("/a/b/c/d", "/a/{x}/c", "/a/b", "POST /a", "/");
    }

    @ParameterizedTest
    @CsvSource({
        "/Api/Login, /aPI/lOGIN",
        "/stra\u00dfe, /STRA\u00dfE",
        "/stra\u00dfe, /strasse",
        "/k, /\u212a",
        "/\u0131, /\u0131",
        "/\u0131, /I",
        "/\u0130, /i",
        "/\u03a3, /\u03c2",
        "/\u03c3, /\u03c2",
        "/\u017f, /S",
        "/\u00b5, /\u03bc",
        "/\u01c5, /\u01c6",
        "/\ud801\udc00, /\ud801\udc28",
    })
    void findWhenCaseIsIgnoredThenAgreesWithPathPatterns(String rule, String path) {
        for (String spelling : List.of(rule, path)) {
            assertThat(new RuleTable(List.of(rule(rule)), false).find(new RequestPath(spelling), "GET") != null)
                    .isEqualTo(rule.equalsIgnoreCase(spelling));
            assertThat(new RuleTable(List.of(rule(rule)), true).find(new RequestPath(spelling), "GET") != null)
                    .isEqualTo(rule.equals(spelling));
        }
    }

    @Test
    void findWhenRulesAreRandomThenAgreesWithNaiveSearch() {
        for (boolean caseSensitive : new boolean[] {true, false}) {
            Random random = new Random(7);
            List<Rule> rules = randomRules(random, 10_000, caseSensitive);
            NaiveTable naive = new NaiveTable(rules, caseSensitive);
            RuleTable table = new RuleTable(rules, caseSensitive);
            for (int i = 0; i < 500; i++) {
                String path = randomPath(random, 7);
                String method = List.of("GET", "POST", "BREW").get(random.nextInt(3));
                Rule found = table.find(new RequestPath(path), method);
                assertThat(found).as(method + " " + path).isSameAs(naive.find(path, method, Integer.MAX_VALUE));
                while (found != null) {
                    Rule expected = naive.find(path, method, segments(found.path()).length);
                    found = table.above(found, new RequestPath(path), method);
                    assertThat(found).as("above, " + method + " " + path).isSameAs(expected);
                }
            }
        }
    }

    private static List<Rule> randomRules(Random random, int count, boolean caseSensitive) {
        Set<String> taken = new HashSet<>();
        List<Rule> rules = new ArrayList<>();
        while (rules.size() < count) {
            StringBuilder path = new StringBuilder();
            for (String segment : segments(randomPath(random, 6))) {
                path.append('/').append(random.nextInt(4) == 0 ? "{v}" : segment);
            }
            Rule rule = switch (random.nextInt(3)) {
                case 0 -> rule(path.toString());
                case 1 -> rule(path.toString(), "GET");
                default -> rule(path.toString(), "POST");
            };
            if (taken.add(caseSensitive ? rule.name() : rule.name().toLowerCase(Locale.ROOT))) {
                rules.add(rule);
            }
        }
        return rules;
    }

    private static String randomPath(Random random, int deepest) {
        StringBuilder path = new StringBuilder();
        int depth = 1 + random.nextInt(deepest);
        for (int i = 0; i < depth; i++) {
            path.append('/').append("aAbBcd".charAt(random.nextInt(6))).append(random.nextInt(3));
        }
        return path.toString();
    }

    private static String[] segments(String path) {
        return path.substring(1).split("/");
    }

    private static Rule rule(String path, String... methods) {
        return new Rule(path, Set.of(methods), List.of(), 1, false, false, "test");
    }

    private static String name(@Nullable Rule rule) {
        return rule == null ? "" : rule.name();
    }
}
