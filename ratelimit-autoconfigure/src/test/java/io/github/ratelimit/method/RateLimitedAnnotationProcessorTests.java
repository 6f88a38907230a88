package io.github.ratelimit.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.ratelimit.RateLimited;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Concurrency;
import io.github.ratelimit.algorithm.FixedWindow;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.algorithm.TokenBucket;
import io.github.ratelimit.fixture.LimiterFixture;
import io.github.ratelimit.method.RateLimitedAnnotationProcessor.Claim;
import io.github.ratelimit.policy.InvalidPolicyException;
import io.github.ratelimit.policy.InvalidPolicyException.Fault;
import io.github.ratelimit.policy.Rule;
import io.github.ratelimit.policy.Zone;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

class RateLimitedAnnotationProcessorTests {

    private static final String FAULTY = Faulty.class.getName();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "unknownZone   | names the zone 'fife', which is not configured; known zones: five",
                "nothing       | has neither zone nor rate; write @RateLimited(\"zone\") or @RateLimited(rate = \"10/s\")",
                "noPeriod      | rate '10' has no period; write a number, a slash and a period",
                "zoneAndRate   | has both zone 'five' and rate '2/s'; write one of them",
                "twoZones      | has two zones, 'five' and 'fife'; write one of them",
                "burstOnZone   | has the burst 3 without a rate; write it as ratelimit.zones.five.burst",
                "burstAlone    | has the burst 3 without a rate; write one, such as rate = \"10/s\"",
                "costOverBurst | has the cost 9, but zone 'Faulty#costOverBurst' never holds more than 2",
                "costOverZone  | has the cost 6, but zone 'five' never holds more than 5",
                "negativeBurst | burst -1 is below 1",
                "syntax        | key '#a.' is no expression",
                "parameter     | key '#tennant' names #tennant, which is not there; its parameters are tenant, page",
                "noParameter   | key '#tenant' names #tenant, which is not there; the method has no parameters",
                "function      | key '#f()' calls",
                "resolver      | key 'cleint-ip' is no key resolver; write one of client-ip,",
                "noNumber      | cost 'three' is neither a number nor an expression",
                "zero          | cost '0' is below 1",
                "hidden        | can be limited only through a proxy, but the method is private",
                "ofClass       | can be limited only through a proxy, but the method is static",
                "fixed         | can be limited only through a proxy, but the method is final"
            })
    void processWhenFaultyThenNamesMethodAndFault(String method, String problem) {
        assertThat(Application.faults(Faulty.class))
                .filteredOn(fault -> fault.where().equals(FAULTY + "#" + method + " @RateLimited"))
                .singleElement()
                .extracting(Fault::problem)
                .asString()
                .startsWith(problem);
    }

    /** What is to be written is something that the zone's algorithm has. */
    @Test
    void checkWhenACostIsAboveTheLimitOfAZoneThenSaysWhatToWrite() {
        Map<Algorithm, String> advice = Map.of(
                TokenBucket.of(Rate.parse("2/s"), 2),
                "write a higher burst",
                FixedWindow.of(Rate.parse("2/s")),
                "write a higher rate",
                new Concurrency(2),
                "write a higher max-concurrent");
        Zone zone = LimiterFixture.zone("z", "2/s", 2);
        advice.forEach((algorithm, toWrite) -> assertThat(new Claim("Shop.buy()", "z", 3)
                        .check(new Zone("z", zone.key(), algorithm, 9, Zone.WhenFull.SHARE, false)))
                .hasToString(
                        "Shop.buy() has the cost 3, but zone 'z' would never hold more than 2, so that no call could be"
                                + " admitted; " + toWrite));
    }

    @Test
    void processWhenSeveralFaultsInOneAnnotationThenNamesAll() {
        assertThat(Application.faults(FaultyTwice.class)).hasSize(2);
    }

    @Test
    void processWhenClassAnnotationIsFaultyThenNamesClassOnce() {
        assertThat(Application.faults(FaultyClass.class))
                .singleElement()
                .extracting(Fault::where)
                .isEqualTo(FaultyClass.class.getName() + " @RateLimited");
    }

    @Test
    void processWhenOnlyProxyCouldLimitFinalClassThenFaults() {
        assertThat(Application.faults(FinalBean.class))
                .singleElement()
                .extracting(Fault::problem)
                .asString()
                .contains("the class is final");
        assertThat(Application.faults(FinalController.class)).isEmpty();
        assertThat(Application.faults(FinalControllerWithArgument.class)).hasSize(1);
    }

    @Test
    void processWhenBeanIsLazyThenFindsItWithoutMakingIt() {
        LazyFaulty.made = false;

        assertThat(Application.faults(LazyFaulty.class)).hasSize(1);
        assertThat(LazyFaulty.made).isFalse();
    }

    @Test
    void processWhenClassIsHiddenUntilMadeThenLimitsItThen() {
        try (Application application = Application.start(HiddenBeans.class)) {
            assertThat(application.annotated().inlineZones()).isEmpty();
            Service service = application.bean(Service.class);

            service.serve();
            assertThatExceptionOfType(io.github.ratelimit.RateLimitExceededException.class)
                    .isThrownBy(service::serve)
                    .satisfies(e -> assertThat(e.decision().zone()).isEqualTo("HiddenService#serve"));
        }
    }

    @Test
    void processWhenHiddenClassIsFaultyThenFailsItsBean() {
        try (Application application = Application.start(HiddenFaultyBeans.class)) {
            assertThatExceptionOfType(BeanCreationException.class)
                    .isThrownBy(() -> application.bean(Service.class))
                    .withRootCauseInstanceOf(InvalidPolicyException.class);
        }
    }

    @Test
    void processWhenInlineThenNamesZonesUniquely() {
        try (Application application = Application.start(Shop.class, Other.Shop.class, Stacked.class)) {
            String here = getClass().getPackageName();
            assertThat(application.annotated().inlineZones())
                    .extracting(Zone::name)
                    .containsExactlyInAnyOrder(
                            "Shop#search(String)",
                            "Shop#search(int)",
                            "Shop#alone",
                            here + ".Shop#same()",
                            here + ".Shop#same()-2",
                            "Stacked#limited",
                            "Stacked#limited-2");
        }
    }

    @Test
    void processWhenConfiguredZoneHasInlineNameThenGivesAnother() {
        Zone configured = Application.zone("Shop#alone", "client-ip", io.github.ratelimit.key.KeyPlan.MissingKey.SKIP);
        try (Application application = Application.start(List.of(configured), Shop.class)) {
            assertThat(application.annotated().inlineZones())
                    .extracting(Zone::name)
                    .contains("Shop#alone()");
        }
    }

    @Test
    void processWhenInlineThenHasDefaults() {
        try (Application application = Application.start(Stacked.class)) {
            Zone zone = application.annotated().inlineZones().get(0);

            assertThat(zone.key().names()).containsExactly("client-ip");
            assertThat(zone.algorithm().limit()).isEqualTo(2);
            assertThat(zone.maxKeys()).isEqualTo(100_000);
            assertThat(application.annotated().inlineZones().get(1).algorithm().limit())
                    .isEqualTo(1);
        }
    }

    @Test
    void processWhenHandlersThenGivesRuleForEachPattern() {
        try (Application application = Application.start(Handlers.class, Shop.class)) {
            assertThat(application.annotated().rules())
                    .extracting(
                            Rule::path,
                            Rule::methods,
                            Rule::cost,
                            Rule::source,
                            rule -> rule.zones().size())
                    .containsExactlyInAnyOrder(
                            org.assertj.core.groups.Tuple.tuple("/v1/a", Set.of("GET"), 3L, "Handlers#two", 2),
                            org.assertj.core.groups.Tuple.tuple("/v1/b/{id}", Set.of("GET"), 3L, "Handlers#two", 2),
                            org.assertj.core.groups.Tuple.tuple("/v1/c", Set.of("POST"), 1L, "Handlers#one", 1));
        }
    }

    @Test
    void statisticsWhenUrlRuleHasSameNameThenKeepsThemApart() {
        try (Application application = Application.start(Handlers.class)) {
            Rule annotated = application.annotated().rules().get(0);
            Rule byUrl = new Rule(
                    annotated.path(), annotated.methods(), annotated.zones(), 1, false, false, "application.yml");

            application.limiter().statistics(byUrl).count(true);

            assertThat(application.limiter().statistics(annotated).permitted()).isZero();
        }
    }

    @Component
    static class Faulty {

        @RateLimited("fife")
        public void unknownZone() {}

        @RateLimited
        public void nothing() {}

        @RateLimited(rate = "10")
        public void noPeriod() {}

        @RateLimited(zone = "five", rate = "2/s")
        public void zoneAndRate() {}

        @RateLimited(value = "five", zone = "fife")
        public void twoZones() {}

        @RateLimited(zone = "five", burst = 3)
        public void burstOnZone() {}

        @RateLimited(burst = 3)
        public void burstAlone() {}

        @RateLimited(rate = "2/s", cost = "9")
        public void costOverBurst() {}

        @RateLimited(zone = "five", cost = "6")
        public void costOverZone() {}

        @RateLimited(rate = "2/s", burst = -1)
        public void negativeBurst() {}

        @RateLimited(zone = "five", key = "#a.")
        public void syntax(String a) {}

        @RateLimited(zone = "five", key = "#tennant")
        public void parameter(String tenant, int page) {}

        @RateLimited(zone = "five", key = "#tenant")
        public void noParameter() {}

        @RateLimited(zone = "five", key = "#f()")
        public void function() {}

        @RateLimited(zone = "five", key = "cleint-ip")
        public void resolver() {}

        @RateLimited(zone = "five", cost = "three")
        public void noNumber() {}

        @RateLimited(zone = "five", cost = "0")
        public void zero() {}

        @RateLimited("five")
        private void hidden() {}

        @RateLimited("five")
        public static void ofClass() {}

        @RateLimited("five")
        public final void fixed() {}
    }

    @Component
    static class FaultyTwice {

        @RateLimited(zone = "fife", key = "#nobody")
        public void limited(String tenant) {}
    }

    @Component
    @RateLimited("fife")
    static class FaultyClass {

        public void one() {}

        public void two() {}
    }

    @Component
    static final class FinalBean {

        @RateLimited("five")
        public void limited() {}
    }

    @RestController
    static final class FinalController {

        @GetMapping("/final")
        @RateLimited("five")
        void limited() {}
    }

    @RestController
    static final class FinalControllerWithArgument {

        @GetMapping("/final")
        @RateLimited(zone = "five", key = "#id")
        void limited(String id) {}
    }

    @Component
    @Lazy
    static class LazyFaulty {

        static boolean made;

        @Autowired
        LazyFaulty() {
            made = true;
        }

        @RateLimited("fife")
        public void limited() {}
    }

    interface Service {

        void serve();
    }

    static class HiddenService implements Service {

        @Override
        @RateLimited(rate = "1/h")
        public void serve() {}
    }

    static class HiddenFaultyService implements Service {

        @Override
        @RateLimited("fife")
        public void serve() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class HiddenBeans {

        @Bean
        @Lazy
        Service service() {
            return new HiddenService();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class HiddenFaultyBeans {

        @Bean
        @Lazy
        Service service() {
            return new HiddenFaultyService();
        }
    }

    @Component("here")
    static class Shop {

        @RateLimited(rate = "2/s")
        public void search(String text) {}

        @RateLimited(rate = "2/s")
        public void search(int page) {}

        @RateLimited(rate = "2/s")
        public void alone() {}

        @RateLimited(rate = "2/s")
        public void same() {}
    }

    static class Other {

        @Component("there")
        static class Shop {

            @RateLimited(rate = "2/s")
            public void same() {}
        }
    }

    @Component
    static class Stacked {

        @RateLimited(rate = "2/s")
        @RateLimited(rate = "0.5/h")
        public void limited() {}
    }

    @RestController
    @RequestMapping("/v1")
    static class Handlers {

        @GetMapping({"/a", "/b/{id}"})
        @RateLimited(zone = "five", cost = "3")
        @RateLimited(rate = "2/s")
        public void two() {}

        @PostMapping("/c")
        @RateLimited("five")
        public void one() {}

        @GetMapping("/free")
        public void free() {}
    }
}
