package io.github.ratelimit.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.github.ratelimit.RateLimitContext;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimited;
import io.github.ratelimit.key.KeyPlan.MissingKey;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.limiter.Charge;
import io.github.ratelimit.limiter.RequestLedger;
import io.github.ratelimit.limiter.Ruling;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.stereotype.Component;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

class RateLimitedMethodInterceptorTests {

    private final Application application = Application.start(
            List.of(
                    Application.zone("five", "header:X-Key", MissingKey.CLIENT_IP),
                    Application.zone("skip", "header:X-Key", MissingKey.SKIP),
                    Application.zone("strict", "header:X-Key", MissingKey.REJECT),
                    Application.zone("global", "global", MissingKey.REJECT)),
            Mailer.class,
            Untouched.class,
            Guarded.class,
            Interfaces.class,
            StartUp.class,
            Asynchronous.class,
            FinalAsynchronous.class);
    private final Mailer mailer = application.bean(Mailer.class);

    @AfterEach
    void close() {
        RequestContextHolder.resetRequestAttributes();
        application.close();
    }

    @Test
    void callWhenQuotaIsUsedUpThenThrowsWithDecision() {
        request("k");
        times(5, mailer::send);

        assertThatExceptionOfType(RateLimitExceededException.class)
                .isThrownBy(mailer::send)
                .satisfies(e -> assertThat(e.decision().zone()).isEqualTo("five"))
                .satisfies(e -> assertThat(e.decision().retryAfter()).isPositive());
        assertThat(mailer.sent()).as("the refused call did not run").isEqualTo(5);
    }

    @Test
    void callWhenUrlRulePaidThenOnlyFirstCallIsSettledWithIt() {
        paid(request("k"), 1);

        mailer.send();
        assertThat(left("five", "k")).isEqualTo(4);
        mailer.send();
        mailer.send();
        assertThat(left("five", "k")).isEqualTo(2);
    }

    @Test
    void callWhenAnotherMethodPaidThenIsNotSettledWithIt() {
        request("k");

        mailer.send();
        mailer.sendToo();

        assertThat(left("five", "k")).isEqualTo(3);
    }

    @Test
    void callWhenUrlRulePaidForAnotherKeyThenPaysInFull() {
        paid(request("k"), 1);

        mailer.sendTo("tenant");

        assertThat(left("five", "k")).isEqualTo(4);
        assertThat(application.left("five", RateLimitKey.ofText("tenant"))).isEqualTo(4);
    }

    @Test
    void callWhenTwoLimitsNameOneZoneThenPaysHigherCostOnce() {
        request("k");

        mailer.sendTwiceNamed();
        mailer.sendTwiceNamed();

        assertThat(left("five", "k")).isEqualTo(1);
    }

    @Test
    void callWhenOneLimitRefusesThenOthersAreNotCharged() {
        request("k");
        mailer.exhaust();

        assertRefused(mailer::sendUnderBoth);

        assertThat(left("five", "k")).isEqualTo(5);
    }

    @Test
    void callWhenNoRequestThenAllShareOneKey() {
        times(5, mailer::send);
        assertRefused(mailer::send);

        request("k");
        assertThatNoException().isThrownBy(mailer::send);
    }

    @Test
    void callWhenNoRequestThenMissingKeyDecides() {
        times(10, mailer::sendSkipping);
        assertRefused(mailer::sendStrictly);
    }

    @Test
    void callWhenNoRequestButKeyNeedsNoneThenCountsByIt() {
        times(3, mailer::sendGlobally);
        request("k");
        times(2, mailer::sendGlobally);
        assertRefused(mailer::sendGlobally);

        RequestContextHolder.resetRequestAttributes();
        times(5, () -> mailer.sendTo("tenant"));
        assertRefused(() -> mailer.sendTo("tenant"));
        assertThatNoException().isThrownBy(() -> mailer.sendTo("other"));
    }

    @Test
    void callWhenExpressionHasNoValueThenKeyIsMissing() {
        request("k", "203.0.113.7");
        times(2, () -> mailer.sendTo(null));
        times(2, () -> mailer.sendTo(" "));
        times(1, () -> mailer.sendToLength(null));
        assertRefused(() -> mailer.sendTo(null));

        request("k", "203.0.113.8");
        assertThatNoException().isThrownBy(() -> mailer.sendTo(null));
        assertRefused(() -> mailer.sendStrictlyTo(null));
    }

    @Test
    void callWhenKeyHasOnlyIdentityThenIsMissingInsteadOfNewEachTime() {
        request("k", "203.0.113.7");
        times(5, () -> mailer.sendToAny(new Object()));
        assertRefused(() -> mailer.sendToAny(new Object()));
    }

    @Test
    void callWhenKeyIsArrayOrOptionalThenCountsByItsContent() {
        times(5, () -> mailer.sendToAny(new String[] {"a", "b"}));
        assertRefused(() -> mailer.sendToAny(new String[] {"a", "b"}));
        assertThatNoException().isThrownBy(() -> mailer.sendToAny(new String[] {"a"}));
        times(5, () -> mailer.sendToAny(Optional.of("o")));
        assertRefused(() -> mailer.sendToAny("o"));
    }

    @Test
    void callWhenKeyIsPrincipalThenCountsByIt() {
        request("k").setUserPrincipal(() -> "alice");
        times(5, mailer::sendAsPrincipal);
        assertRefused(mailer::sendAsPrincipal);

        request("k").setUserPrincipal(() -> "bob");
        assertThatNoException().isThrownBy(mailer::sendAsPrincipal);
    }

    @Test
    void callWhenCostIsExpressionThenRoundsUpAndSurvivesNonsense() {
        assertCost(3, 3);
        assertCost(2.1, 3);
        assertCost(new BigDecimal("4.0001"), 5);
        assertCost(0, 0);
        assertCost(null, 1);
        assertCost(-7, 1);
        assertCost(Double.NaN, 1);
        assertCost("five", 1);
    }

    @Test
    void callWhenCostIsAboveCapacityThenIsRefused() {
        assertRefused(() -> mailer.sendFor("huge", 6));
        assertRefused(() -> mailer.sendFor("huge", Double.MAX_VALUE));
        assertRefused(() -> mailer.sendFor("huge", Long.MAX_VALUE));
        assertThatNoException().isThrownBy(() -> mailer.sendFor("huge", 5));
    }

    @Test
    void callWhenExpressionUsesBeanThenResolvesIt() {
        times(5, () -> mailer.sendToGroupOf("a"));
        assertRefused(() -> mailer.sendToGroupOf("b"));
    }

    @Test
    void callWhenBeanHasNoLimitThenHasNoProxy() {
        assertThat(AopUtils.isAopProxy(application.bean(Untouched.class))).isFalse();
    }

    @Test
    void callWhenBeanIsJdkProxyThenInterfaceLimitsIt() {
        Client client = application.bean(Client.class);

        times(5, client::call);

        assertRefused(client::call);
        assertThat(application.annotated().inlineZones())
                .extracting(zone -> zone.name())
                .containsOnlyOnce("Client#call");
    }

    @Test
    void callWhenBeanIsLambdaThenInterfaceLimitsIt() {
        Greeter greeter = application.bean(Greeter.class);

        times(5, greeter::greet);

        assertRefused(greeter::greet);
        assertThat(application.annotated().inlineZones())
                .extracting(zone -> zone.name())
                .filteredOn(name -> name.contains("#greet"))
                .containsExactly("Greeter#greet");
    }

    @Test
    void callWhenStartingUpThenIsNotLimited() {
        assertThat(application.bean(StartUp.class).calls).isEqualTo(10);
        assertThatNoException().isThrownBy(mailer::sendGlobally);
    }

    @Test
    void callWhenAsynchronousThenIsChargedOnCallersThread() {
        request("k");
        Asynchronous asynchronous = application.bean(Asynchronous.class);

        times(5, asynchronous::later);

        assertRefused(asynchronous::later);
    }

    @Test
    void callWhenOnlyItsClassIsAnnotatedThenIsLimitedUnlessPrivate() {
        request("k");
        Guarded guarded = application.bean(Guarded.class);

        guarded.packagePrivate();
        guarded.forSubclasses();
        assertThat(left("five", "k")).isEqualTo(3);
        times(3, guarded::visible);

        assertRefused(guarded::packagePrivate);
        assertRefused(guarded::forSubclasses);
        assertRefused(guarded::visible);
    }

    @Test
    void callWhenFinalClassIsBehindAProxyOfItsInterfacesThenIsLimited() {
        request("k");
        Later later = application.bean(Later.class);
        assertThat(AopUtils.isJdkDynamicProxy(later)).isTrue();

        times(5, later::later);

        assertRefused(later::later);
    }

    private void assertCost(@Nullable Object cost, long expected) {
        String key = "cost-" + cost;
        mailer.sendFor(key, cost);
        assertThat(5 - application.left("five", RateLimitKey.ofText(key)))
                .as("cost %s", cost)
                .isEqualTo(expected);
    }

    private long left(String zone, String key) {
        return application.left(zone, RateLimitKey.ofSecret(key));
    }

    private void paid(MockHttpServletRequest request, long cost) {
        List<Charge> charges = List.of(
                new Charge(Objects.requireNonNull(application.zone("five")), RateLimitKey.ofSecret("k"), cost, false));
        Ruling ruling = Objects.requireNonNull(application.limiter().acquire(charges));
        RequestLedger ledger = new RequestLedger(application.limiter());
        ledger.note(ruling);
        request.setAttribute(RateLimitContext.ATTRIBUTE, ledger);
    }

    private static MockHttpServletRequest request(String key) {
        return request(key, "203.0.113.1");
    }

    private static MockHttpServletRequest request(String key, String address) {
        MockHttpServletRequest request = new MockHttpServletRequest("GET", "/");
        request.addHeader("X-Key", key);
        request.setRemoteAddr(address);
        RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(request));
        return request;
    }

    private static void times(int count, Runnable call) {
        for (int i = 0; i < count; i++) {
            call.run();
        }
    }

    private static void assertRefused(ThrowingCallable call) {
        assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(call);
    }

    @Component
    @RateLimited("five")
    static class Guarded {

        public void visible() {
            hidden();
        }

        protected void forSubclasses() {
            hidden();
        }

        void packagePrivate() {
            hidden();
        }

        private void hidden() {}
    }

    @Component
    static class Mailer {

        private int sent;

        public int sent() {
            return sent;
        }

        @RateLimited("five")
        public void send() {
            sent++;
        }

        @RateLimited("five")
        public void sendToo() {}

        @RateLimited("five")
        @RateLimited(zone = "five", cost = "2")
        public void sendTwiceNamed() {}

        @RateLimited(zone = "strict", cost = "5")
        public void exhaust() {}

        @RateLimited("five")
        @RateLimited("strict")
        public void sendUnderBoth() {}

        @RateLimited("skip")
        public void sendSkipping() {}

        @RateLimited("strict")
        public void sendStrictly() {}

        @RateLimited("global")
        public void sendGlobally() {}

        @RateLimited(zone = "five", key = "#tenant")
        public void sendTo(@Nullable String tenant) {}

        @RateLimited(zone = "five", key = "#tenant.length()")
        public void sendToLength(@Nullable String tenant) {}

        @RateLimited(zone = "strict", key = "#p0")
        public void sendStrictlyTo(@Nullable String tenant) {}

        @RateLimited(zone = "five", key = "#a0")
        public void sendToAny(Object receiver) {}

        @RateLimited(zone = "five", key = "#principal.name")
        public void sendAsPrincipal() {}

        @RateLimited(zone = "five", key = "#receiver", cost = "#cost")
        public void sendFor(String receiver, @Nullable Object cost) {}

        @RateLimited(zone = "five", key = "#user.substring(1) + @groups.of(#user)")
        public void sendToGroupOf(String user) {}
    }

    @Component("groups")
    static class Untouched {

        public String of(String user) {
            return "group";
        }
    }

    interface Client {

        @RateLimited(rate = "5/h")
        void call();
    }

    @FunctionalInterface
    interface Greeter {

        @RateLimited(rate = "5/h")
        String greet();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class Interfaces {

        @Bean
        Greeter greeter() {
            return () -> "hello";
        }

        @Bean
        Client client() {
            return (Client) Proxy.newProxyInstance(
                    Client.class.getClassLoader(),
                    new Class<?>[] {Client.class},
                    (proxy, method, arguments) -> method.getName().equals("hashCode") ? 1 : null);
        }
    }

    @Component
    static class StartUp implements InitializingBean {

        private final Mailer mailer;
        int calls;

        StartUp(Mailer mailer) {
            this.mailer = mailer;
        }

        @Override
        public void afterPropertiesSet() {
            for (int i = 0; i < 10; i++) {
                mailer.sendGlobally();
                calls++;
            }
        }
    }

    interface Later {

        CompletableFuture<String> later();
    }

    @Component
    static final class FinalAsynchronous implements Later {

        @Override
        @Async
        @RateLimited("five")
        public CompletableFuture<String> later() {
            return CompletableFuture.completedFuture("done");
        }
    }

    @Component
    static class Asynchronous {

        @Async
        @RateLimited("five")
        public CompletableFuture<String> later() {
            return CompletableFuture.completedFuture("done");
        }
    }
}
