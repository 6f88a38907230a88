package io.github.ratelimit.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.LimitProvider;
import io.github.ratelimit.LimitProvider.Changed;
import io.github.ratelimit.LimitProvider.Limit;
import io.github.ratelimit.RateLimited;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.policy.Allowance;
import io.github.ratelimit.policy.Allowance.Grant;
import io.github.ratelimit.policy.PolicyHolder;
import io.github.ratelimit.policy.Zone;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** An application that knows the plans of its customers. */
class LimitProviderApplicationTests {

    private final Map<String, Limit> plans = new ConcurrentHashMap<>();
    private final WebApplicationContextRunner contextRunner = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    RateLimitAutoConfiguration.class,
                    DispatcherServletAutoConfiguration.class,
                    WebMvcAutoConfiguration.class))
            .withUserConfiguration(Shop.class)
            .withBean(LimitProvider.class, () -> (zone, key) -> plans.get(key))
            .withPropertyValues(
                    "ratelimit.zones.api.key=header:X-Api-Key",
                    "ratelimit.zones.api.rate=10/s",
                    "ratelimit.zones.api.overrides[0].key=gold",
                    "ratelimit.zones.api.overrides[0].rate=99/s",
                    "ratelimit.zones.slots.algorithm=concurrency",
                    "ratelimit.zones.slots.max-concurrent=2");

    @Test
    void limitWhenTheProviderKnowsAKeyThenOverridesComeFirstAndTheZoneLast() {
        plans.put(RateLimitKey.ofSecret("gold").toString(), Limit.of("1/s"));
        plans.put(RateLimitKey.ofSecret("silver").toString(), Limit.of("20/s", 5));
        plans.put(RateLimitKey.ofSecret("wrong").toString(), Limit.ofConcurrency(3));
        plans.put(RateLimitKey.ofSecret("free").toString(), Limit.ofUnlimited());
        plans.put(RateLimitKey.ofSecret("gone").toString(), Limit.ofDenied());
        plans.put("203.0.113.7", Limit.ofConcurrency(9));
        contextRunner.run(context -> {
            assertThat(granted(context, "api", "gold").algorithm().limit()).isEqualTo(99);
            assertThat(granted(context, "api", "silver").algorithm().limit()).isEqualTo(5);
            assertThat(granted(context, "api", "unknown").algorithm().limit()).isEqualTo(10);
            assertThat(granted(context, "api", "wrong").algorithm().limit()).isEqualTo(10);
            assertThat(granted(context, "api", "free").grant()).isEqualTo(Grant.UNLIMITED);
            assertThat(granted(context, "api", "gone").grant()).isEqualTo(Grant.DENIED);
            assertThat(granted(context, "slots", "203.0.113.7").algorithm().limit())
                    .isEqualTo(9);
        });
    }

    @Test
    void limitWhenTheZoneIsThatOfAnAnnotationThenTheProviderIsAskedToo() {
        plans.put("203.0.113.7", Limit.of("50/s"));
        contextRunner.run(context -> {
            assertThat(granted(context, "Shop#order", "203.0.113.7").algorithm().limit())
                    .isEqualTo(50);
            assertThat(granted(context, "Shop#order", "203.0.113.8").algorithm().limit())
                    .isEqualTo(4);
        });
    }

    @Test
    void changedWhenPublishedThenTheNewPlanIsInForce() {
        plans.put("203.0.113.7", Limit.ofConcurrency(9));
        contextRunner.run(context -> {
            assertThat(granted(context, "slots", "203.0.113.7").algorithm().limit())
                    .isEqualTo(9);
            plans.put("203.0.113.7", Limit.ofConcurrency(3));
            context.publishEvent(Changed.ofKey("203.0.113.7"));
            Awaitility.await()
                    .until(() ->
                            granted(context, "slots", "203.0.113.7").algorithm().limit() == 3);
        });
    }

    private static Allowance granted(AssertableWebApplicationContext context, String name, String key) {
        Zone zone = Objects.requireNonNull(
                context.getBean(PolicyHolder.class).get().zones().get(name));
        return zone.limits().of(zone.key().ofRaw(key));
    }

    @RestController
    static class Shop {

        @GetMapping("/order")
        @RateLimited(rate = "4/s")
        String order() {
            return "ordered";
        }
    }
}
