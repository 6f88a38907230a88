package io.github.ratelimit.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.ratelimit.key.KeyPlan.MissingKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;

class KeyPlanTests {

    private static final ClientAddress CLIENTS = new ClientAddress(List.of(), "X-Forwarded-For", 32, 48);

    @Test
    void resolveWhenValueIsMissingThenMissingKeyDecides() {
        MockHttpServletRequest request = request("203.0.113.7", null, null);
        assertThat(resolve(plan(MissingKey.CLIENT_IP, "principal"), request)).isEqualTo(CLIENTS.ofRaw("203.0.113.7"));
        assertThat(resolve(plan(MissingKey.SKIP, "principal"), request)).isNull();
        assertThat(resolve(plan(MissingKey.REJECT, "principal"), request)).isNull();
        assertThat(resolve(plan(MissingKey.SKIP, "principal", "client-ip"), request))
                .isNull();
        assertThat(resolve(plan(MissingKey.CLIENT_IP, "principal"), request("", null, null)))
                .isNull();
        assertThat(resolve(plan(MissingKey.CLIENT_IP, "principal", "method"), request("", null, null)))
                .isNull();
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            delimiter = ';',
            value = {
                "alice; t1; alice|t1",
                "a|b; c; a\\|b|c",
                "a; b|c; a|b\\|c",
                "a\\; b; a\\\\|b",
                "a\\|b; c; a\\\\\\|b|c",
                "DOMAIN\\user; t; DOMAIN\\user|t",
                "client-ip=1.2.3.4; t; \\client-ip=1.2.3.4|t",
                "\\client-ip=1.2.3.4; t; \\\\client-ip=1.2.3.4|t",
                "a\\client-ip=1.2.3.4; t; a\\client-ip=1.2.3.4|t",
                "client-ip=; t; \\client-ip=|t",
                "#1; t; #1|t",
                "203.0.113.7; t; 203.0.113.7|t",
                "-; t; client-ip=2001:db8:1::|t",
                "-; t; client-ip=2001:DB8:1:2::9|t",
                "-; t; client-ip=2001:db8:1::/48|t",
                "alice; -; alice|client-ip=2001:db8:1:0::",
                "-; -; client-ip=2001:db8:1::|client-ip=2001:db8:1::"
            })
    void ofRawWhenCompositeThenKeyOfTheSameValues(@Nullable String user, @Nullable String tenant, String raw) {
        KeyPlan plan = plan(MissingKey.CLIENT_IP, "principal", "bean:tenant");
        assertThat(resolve(plan, request("2001:db8:1:2::3", user, tenant))).isEqualTo(plan.ofRaw(raw));
        assertThat(plan.candidates(raw)).containsExactly(plan.ofRaw(raw));
    }

    @Test
    void ofRawWhenNoAddressEverStandsInThenItsMarkIsText() {
        KeyPlan plan = plan(MissingKey.SKIP, "principal", "bean:tenant");
        RateLimitKey key = resolve(plan, request("203.0.113.7", "client-ip=1.2.3.4", "t"));
        assertThat(plan.ofRaw("client-ip=1.2.3.4|t")).isEqualTo(key).isEqualTo(plan.ofRaw("\\client-ip=1.2.3.4|t"));
    }

    @Test
    void ofRawWhenSecretPartThenSameKeyAndNothingLeaks() {
        KeyPlan plan = plan(MissingKey.CLIENT_IP, "client-ip", "header:X-Api-Key");
        MockHttpServletRequest request = request("203.0.113.7", null, null);
        request.addHeader("X-Api-Key", "s3cret|x");
        RateLimitKey key = resolve(plan, request);
        assertThat(key).isEqualTo(plan.ofRaw("203.0.113.7|s3cret\\|x"));
        assertThat(key).asString().startsWith("203.0.113.7|#").doesNotContain("s3cret");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "alice", "a|b|c", "alice|", "|t", "a\\|b", "client-ip=x|t", "client-ip=|t"})
    void ofRawWhenNoRequestCanHaveItThenThrows(String raw) {
        KeyPlan plan = plan(MissingKey.CLIENT_IP, "principal", "bean:tenant");
        assertThatIllegalArgumentException().isThrownBy(() -> plan.ofRaw(raw));
        assertThatIllegalArgumentException().isThrownBy(() -> plan.candidates(raw));
    }

    @Test
    void ofRawWhenPartsAreTooManyThenSaysHowToWriteThem() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> plan(MissingKey.SKIP, "principal", "bean:tenant").ofRaw("auth0|x|k"))
                .withMessage("has not 2 parts; write them joined by |: principal|bean:tenant;"
                        + " a | within a part is written \\|");
    }

    @Test
    void resolveWhenValuesDifferThenKeysDiffer() {
        KeyPlan plan = plan(MissingKey.CLIENT_IP, "principal", "bean:tenant");
        String long1 = "x".repeat(65);
        List<@Nullable String> values = new ArrayList<>(List.of(
                "a",
                "|",
                "||",
                "\\",
                "\\|",
                "|\\",
                "a|",
                "|a",
                "client-ip=",
                "client-ip=203.0.113.7",
                "203.0.113.7",
                "\\client-ip=203.0.113.7",
                "#",
                "\\#",
                long1,
                RateLimitKey.ofText(long1).toString(),
                "#" + RateLimitKey.ofText(long1),
                "y".repeat(64),
                "y".repeat(63) + "|"));
        values.add(null);
        Map<RateLimitKey, List<@Nullable String>> seen = new HashMap<>();
        for (String user : values) {
            for (String tenant : values) {
                RateLimitKey key = resolve(plan, request("203.0.113.7", user, tenant));
                assertThat(seen.put(key, Arrays.asList(user, tenant)))
                        .as("%s, %s", user, tenant)
                        .isNull();
            }
        }
    }

    @Test
    void resolveWhenRandomValuesThenFoundByWhatAPersonWrites() {
        KeyPlan plan = plan(MissingKey.CLIENT_IP, "principal", "bean:tenant");
        Random random = new Random(9);
        Set<String> raws = new HashSet<>();
        Set<RateLimitKey> keys = new HashSet<>();
        for (int i = 0; i < 5_000; i++) {
            String user = randomText(random);
            String tenant = randomText(random);
            String raw = written(user) + "|" + written(tenant);
            RateLimitKey key = resolve(plan, request("203.0.113.7", user, tenant));
            assertThat(plan.ofRaw(raw)).as(raw).isEqualTo(key);
            raws.add(raw);
            keys.add(key);
        }
        assertThat(keys).hasSameSizeAs(raws);
    }

    @Test
    void candidatesWhenAddressMayStandInThenValueFirst() {
        KeyPlan plan = plan(MissingKey.CLIENT_IP, "principal");
        assertThat(plan.candidates("2001:db8:1:2::3"))
                .containsExactly(RateLimitKey.ofText("2001:db8:1:2::3"), CLIENTS.ofRaw("2001:db8:1::"));
        assertThat(plan.candidates("alice")).containsExactly(RateLimitKey.ofText("alice"));
        assertThat(plan(MissingKey.SKIP, "principal").candidates("203.0.113.7"))
                .containsExactly(RateLimitKey.ofText("203.0.113.7"));
        assertThat(plan(MissingKey.CLIENT_IP, "client-ip").candidates("203.0.113.7"))
                .containsExactly(CLIENTS.ofRaw("203.0.113.7"));
        assertThat(plan(MissingKey.CLIENT_IP, "global").candidates("203.0.113.7"))
                .containsExactly(CLIENTS.ofRaw("203.0.113.7"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> plan(MissingKey.CLIENT_IP, "client-ip").candidates("alice"))
                .withMessageStartingWith("is no address");
    }

    @Test
    void resolveWhenUrlsDifferThenClientKeepsOneKey() {
        KeyPlan plan = plan(MissingKey.CLIENT_IP, "client-ip");
        Set<RateLimitKey> keys = new HashSet<>();
        for (String uri : List.of("/items/1", "/items/2", "/items/3", "/codes/a", "/codes/b;x=1")) {
            MockHttpServletRequest request = request("203.0.113.7", null, null);
            request.setRequestURI(uri);
            request.setQueryString("x=" + uri);
            keys.add(resolve(plan, request));
        }
        assertThat(keys).hasSize(1);
    }

    @Test
    void needsIdentityWhenAnyPartDoesThenTrue() {
        assertThat(plan(MissingKey.SKIP, "client-ip", "principal").needsIdentity())
                .isTrue();
        assertThat(plan(MissingKey.SKIP, "client-ip", "path").needsIdentity()).isFalse();
        assertThat(plan(MissingKey.SKIP, "client-ip", "path").names()).containsExactly("client-ip", "path");
    }

    @Test
    void constructorWhenNoPartsThenThrows() {
        assertThatIllegalArgumentException().isThrownBy(() -> new KeyPlan(List.of(), MissingKey.SKIP));
    }

    private static String randomText(Random random) {
        String[] units = {"|", "\\", "#", "client-ip=", "a", "1.2.3.4", "\u00e9"};
        StringBuilder text = new StringBuilder();
        for (int length = 1 + random.nextInt(5); length > 0; length--) {
            text.append(units[random.nextInt(units.length)]);
        }
        return text.toString();
    }

    private static String written(String value) {
        String escaped = value.replace("\\", "\\\\").replace("|", "\\|");
        return value.startsWith("client-ip=") ? "\\" + escaped : escaped;
    }

    private static KeyPlan plan(MissingKey missing, String... names) {
        List<KeyPart> parts = Arrays.stream(names)
                .map(name -> KeyParts.of(name, CLIENTS, bean -> request -> (String) request.getAttribute(bean)))
                .toList();
        return new KeyPlan(parts, missing, CLIENTS);
    }

    private static @Nullable RateLimitKey resolve(KeyPlan plan, MockHttpServletRequest request) {
        return plan.resolve(new ServletRequestView(request, CLIENTS));
    }

    private static MockHttpServletRequest request(String peer, @Nullable String user, @Nullable String tenant) {
        MockHttpServletRequest request = new MockHttpServletRequest();
        request.setRemoteAddr(peer);
        request.setUserPrincipal(user == null ? null : () -> user);
        request.setAttribute("tenant", tenant);
        return request;
    }
}
