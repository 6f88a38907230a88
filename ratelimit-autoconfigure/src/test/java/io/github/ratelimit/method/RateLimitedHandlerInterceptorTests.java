package io.github.ratelimit.method;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.RateLimitContext;
import io.github.ratelimit.RateLimited;
import io.github.ratelimit.key.KeyPlan.MissingKey;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.limiter.Charge;
import io.github.ratelimit.limiter.RequestLedger;
import io.github.ratelimit.limiter.Ruling;
import io.github.ratelimit.policy.Rule;
import io.github.ratelimit.policy.Zone;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.MediaType;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.MvcResult;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;
import org.springframework.test.web.servlet.request.MockMvcRequestBuilders;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;

class RateLimitedHandlerInterceptorTests {

    private final Application application = Application.start(
            List.of(
                    Application.zone("five", "header:X-Key", MissingKey.CLIENT_IP),
                    Application.zone("strict", "header:X-Key", MissingKey.REJECT),
                    Application.zone("method", "method", MissingKey.REJECT),
                    Application.zone("tenant", "path-variable:tenant", MissingKey.REJECT)),
            Shop.class,
            Fixed.class,
            Hidden.class,
            Caller.class);
    private final MockMvc mvc = application.mvc();

    @AfterEach
    void close() {
        application.close();
    }

    @Test
    void handlerWhenQuotaIsUsedUpThenIsRefused() throws Exception {
        assertThat(statuses(6, get("/limited"))).containsExactly(200, 200, 200, 200, 200, 429);
        assertThat(status(MockMvcRequestBuilders.get("/limited").header("X-Key", "other")))
                .isEqualTo(200);
        assertThat(status(get("/unlimited"))).isEqualTo(200);
    }

    @Test
    void handlerWhenCalledThenCountsForItsRule() throws Exception {
        statuses(6, get("/limited"));
        statuses(2, get("/tenants/a/limited"));

        assertThat(counts("/limited")).isEqualTo("5/1");
        assertThat(counts("/tenants/{tenant}/limited")).isEqualTo("0/2");
    }

    @Test
    void handlerWhenBodyCannotBeParsedThenIsRefusedBeforeItIsRead() throws Exception {
        MockHttpServletRequestBuilder rubbish = MockMvcRequestBuilders.post("/body")
                .contentType(MediaType.APPLICATION_JSON)
                .content("{rubbish");
        assertThat(statuses(6, rubbish)).containsExactly(400, 400, 400, 400, 400, 429);

        AtomicBoolean read = new AtomicBoolean();
        mvc.perform(rubbish.with(request -> new MockHttpServletRequest(request.getServletContext(), "POST", "/body") {
            @Override
            public ServletInputStream getInputStream() {
                read.set(true);
                return super.getInputStream();
            }
        }));
        assertThat(read).isFalse();
    }

    @Test
    void handlerWhenHeadThenSharesQuotaWithGet() throws Exception {
        assertThat(statuses(3, MockMvcRequestBuilders.head("/verb"))).containsOnly(200);
        assertThat(statuses(3, get("/verb"))).containsExactly(200, 200, 429);
    }

    @Test
    void handlerWhenKeyIsPathVariableThenCountsByIt() throws Exception {
        assertThat(statuses(6, get("/tenant/a"))).containsExactly(200, 200, 200, 200, 200, 429);
        assertThat(status(get("/tenant/b"))).isEqualTo(200);
    }

    @Test
    void handlerWhenZoneRejectsMissingKeyThenIsRefused() throws Exception {
        assertThat(status(MockMvcRequestBuilders.get("/strict"))).isEqualTo(429);
        assertThat(status(get("/strict"))).isEqualTo(200);
    }

    @Test
    void handlerWhenKeyIsMissingThenAddressStandsIn() throws Exception {
        assertThat(statuses(6, MockMvcRequestBuilders.get("/limited"))).endsWith(200, 429);
        assertThat(status(MockMvcRequestBuilders.get("/limited").with(request -> {
                    request.setRemoteAddr("203.0.113.7");
                    return request;
                })))
                .isEqualTo(200);
    }

    @Test
    void handlerWhenExpressionNeedsNoArgumentThenIsJudgedBeforeBinding() throws Exception {
        assertThat(statuses(6, MockMvcRequestBuilders.get("/request-key").header("X-Other", "a")))
                .as("the required parameter is missing, and the refusal comes first")
                .containsExactly(400, 400, 400, 400, 400, 429);
    }

    @Test
    void handlerWhenKeyNamesArgumentThenCountsByIt() throws Exception {
        assertThat(statuses(6, get("/argument").param("id", "a"))).containsExactly(200, 200, 200, 200, 200, 429);
        assertThat(status(get("/argument").param("id", "b"))).isEqualTo(200);
        assertThat(counts("/argument")).isEqualTo("6/1");
    }

    @Test
    void handlerWhenCostNamesArgumentThenPaysIt() throws Exception {
        assertThat(status(get("/cost").param("cost", "3"))).isEqualTo(200);
        assertThat(status(get("/cost").param("cost", "3"))).isEqualTo(429);
        assertThat(status(get("/cost").param("cost", "2"))).isEqualTo(200);
        assertThat(status(get("/cost").param("cost", "0"))).isEqualTo(200);
    }

    @Test
    void handlerWhenLimitsAreEarlyAndLateThenEachIsChargedOnce() throws Exception {
        assertThat(statuses(5, get("/both").param("id", "a"))).containsOnly(200);
        assertThat(left("five")).isZero();
        assertThat(left("Shop#both", "a")).isEqualTo(5);
    }

    @Test
    void handlerWhenUrlRulePaidSameZoneThenPaysTheRest() throws Exception {
        assertThat(status(paid(get("/limited"), 1))).isEqualTo(200);
        assertThat(left("five")).isEqualTo(4);
        assertThat(status(paid(get("/three"), 1))).isEqualTo(200);
        assertThat(left("five")).as("one by the rule, two more by the handler").isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/three", "/cost?cost=3"})
    void handlerWhenRefusedThenTheRequestGetsBackWhatItsUrlRulePaid(String path) throws Exception {
        assertThat(status(get("/cost").param("cost", "3"))).isEqualTo(200);
        for (int i = 0; i < 3; i++) {
            assertThat(status(paid(get(path), 2))).isEqualTo(429);
            assertThat(left("five")).isEqualTo(2);
        }
        assertThat(status(paid(get("/limited"), 2))).isEqualTo(200);
    }

    @Test
    void handlerWhenRefusedForItsArgumentThenGetsBackWhatItPaidBefore() throws Exception {
        statuses(5, get("/scarce").param("id", "a"));
        assertThat(left("five")).isEqualTo(4);
    }

    @Test
    void handlerWhenAsynchronousThenIsChargedOnce() throws Exception {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            MvcResult result = mvc.perform(get("/deferred")).andReturn();
            if (result.getRequest().isAsyncStarted()) {
                result = mvc.perform(MockMvcRequestBuilders.asyncDispatch(result))
                        .andReturn();
            }
            statuses.add(result.getResponse().getStatus());
        }
        assertThat(statuses).containsExactly(200, 200, 200, 200, 200, 429);
    }

    @Test
    void handlerWhenDispatchedAgainThenIsNotCharged() throws Exception {
        for (DispatcherType type : DispatcherType.values()) {
            if (type != DispatcherType.REQUEST) {
                assertThat(status(dispatched(get("/limited"), type))).isEqualTo(200);
                assertThat(status(dispatched(get("/argument").param("id", "a"), type)))
                        .isEqualTo(200);
            }
        }
        assertThat(left("five")).isEqualTo(5);
        assertThat(left("Shop#argument", "a")).isEqualTo(5);
    }

    @Test
    void handlerWhenPreflightThenIsNotCharged() throws Exception {
        MockHttpServletRequestBuilder preflight = MockMvcRequestBuilders.options("/limited")
                .header("X-Key", "k")
                .header("Origin", "http://app.example")
                .header("Access-Control-Request-Method", "GET");

        assertThat(statuses(6, preflight)).containsOnly(200);
        assertThat(left("five")).isEqualTo(5);
    }

    @Test
    void handlerWhenCalledDirectlyThenPaysInFull() throws Exception {
        assertThat(status(get("/caller"))).isEqualTo(200);
        assertThat(left("five")).isEqualTo(3);
    }

    @Test
    void handlerWhenClassHasFinalMethodThenWorksWithoutProxy() throws Exception {
        assertThat(statuses(6, get("/fixed"))).endsWith(200, 429);
        assertThat(status(get("/fixed/final"))).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/protected", "/package", "/private", "/static"})
    void handlerWhenOnlyItsClassIsAnnotatedThenIsLimitedWhoeverMaySeeIt(String path) throws Exception {
        assertThat(statuses(6, get(path))).endsWith(200, 429);
        assertThat(counts(path)).isEqualTo("5/1");
    }

    private static MockHttpServletRequestBuilder get(String path) {
        return MockMvcRequestBuilders.get(path).header("X-Key", "k");
    }

    private MockHttpServletRequestBuilder paid(MockHttpServletRequestBuilder request, long cost) {
        return request.with(mock -> {
            List<Charge> charges = List.of(new Charge(zone("five"), RateLimitKey.ofSecret("k"), cost, false));
            Ruling ruling = Objects.requireNonNull(application.limiter().acquire(charges));
            RequestLedger ledger = new RequestLedger(application.limiter());
            ledger.note(ruling);
            mock.setAttribute(RateLimitContext.ATTRIBUTE, ledger);
            return mock;
        });
    }

    private static MockHttpServletRequestBuilder dispatched(
            MockHttpServletRequestBuilder request, DispatcherType type) {
        return request.with(mock -> {
            mock.setDispatcherType(type);
            return mock;
        });
    }

    private int status(MockHttpServletRequestBuilder request) throws Exception {
        return mvc.perform(request).andReturn().getResponse().getStatus();
    }

    private List<Integer> statuses(int count, MockHttpServletRequestBuilder request) throws Exception {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            statuses.add(status(request));
        }
        return statuses;
    }

    private Zone zone(String name) {
        return Objects.requireNonNull(application.zone(name));
    }

    private long left(String zone) {
        return application.left(zone, RateLimitKey.ofSecret("k"));
    }

    private long left(String zone, String key) {
        return application.left(zone, RateLimitKey.ofText(key));
    }

    private String counts(String path) {
        Rule rule = application.annotated().rules().stream()
                .filter(candidate -> candidate.path().equals(path))
                .findFirst()
                .orElseThrow();
        return application.limiter().statistics(rule).permitted() + "/"
                + application.limiter().statistics(rule).rejected();
    }

    @RestController
    @CrossOrigin
    static class Shop {

        @GetMapping({"/limited", "/tenants/{tenant}/limited"})
        @RateLimited("five")
        public String limited() {
            return "ok";
        }

        @GetMapping("/three")
        @RateLimited(zone = "five", cost = "3")
        public String three() {
            return "ok";
        }

        @GetMapping("/unlimited")
        public String unlimited() {
            return "ok";
        }

        @GetMapping("/strict")
        @RateLimited("strict")
        public String strict() {
            return "ok";
        }

        @GetMapping("/verb")
        @RateLimited("method")
        public String verb() {
            return "ok";
        }

        @GetMapping("/tenant/{tenant}")
        @RateLimited("tenant")
        public String tenant(@PathVariable String tenant) {
            return tenant;
        }

        @PostMapping("/body")
        @RateLimited(rate = "5/h")
        public String body(@RequestBody Map<String, String> body) {
            return "ok";
        }

        @GetMapping("/request-key")
        @RateLimited(zone = "five", key = "#request.getHeader('X-Other')")
        public String requestKey(@RequestParam String required, HttpServletRequest request) {
            return required;
        }

        @GetMapping("/argument")
        @RateLimited(rate = "5/h", key = "#id")
        public String argument(@RequestParam String id) {
            return id;
        }

        @GetMapping("/cost")
        @RateLimited(zone = "five", cost = "#cost")
        public String cost(@RequestParam int cost) {
            return "ok";
        }

        @GetMapping("/both")
        @RateLimited("five")
        @RateLimited(rate = "10/h", key = "#id")
        public String both(@RequestParam String id) {
            return id;
        }

        @GetMapping("/scarce")
        @RateLimited("five")
        @RateLimited(rate = "1/h", key = "#id")
        public String scarce(@RequestParam String id) {
            return id;
        }

        @GetMapping("/deferred")
        @RateLimited("five")
        public DeferredResult<String> deferred() {
            DeferredResult<String> result = new DeferredResult<>();
            result.setResult("ok");
            return result;
        }
    }

    @RestController
    static class Fixed {

        private final String answer = "ok";

        @GetMapping("/fixed")
        @RateLimited("five")
        public String limited() {
            return answer;
        }

        @GetMapping("/fixed/final")
        public final String unlimited() {
            return answer.strip();
        }
    }

    @RestController
    @RateLimited("five")
    static class Hidden {

        private final String answer = "ok";

        @GetMapping("/protected")
        protected String forSubclasses() {
            return answer.strip();
        }

        @GetMapping("/package")
        String packagePrivate() {
            return answer.strip();
        }

        @GetMapping("/private")
        private String hidden() {
            return answer.strip();
        }

        @GetMapping("/static")
        static String ofClass() {
            return "ok";
        }
    }

    @RestController
    static class Caller {

        private final Shop shop;

        Caller(Shop shop) {
            this.shop = shop;
        }

        @GetMapping("/caller")
        public String call() {
            return shop.limited() + shop.limited();
        }
    }
}
