package io.github.ratelimit.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.fixture.LimiterFixture;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.policy.PolicyHolder;
import io.github.ratelimit.store.Demand;
import io.github.ratelimit.store.Reply;
import io.github.ratelimit.store.SharedStore;
import io.github.ratelimit.store.StoreHealth;
import io.github.ratelimit.store.StoreHealth.State;
import io.github.ratelimit.store.StoreUnavailableException.Kind;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/** What health and endpoint say of a shared store. */
class RateLimitHealthIndicatorTests {

    private static final StoreHealth UP = new StoreHealth(State.UP, Map.of(Kind.TIMEOUT, 3L));
    private static final StoreHealth DOWN = new StoreHealth(State.DOWN, Map.of(Kind.UNREACHABLE, 17L));

    @Test
    void healthWhenTheStoreAnswersThenTellsItsFailuresAndWarnsOfNothing() {
        Health health = health(UP, true);
        assertThat(health.getStatus()).isEqualTo(Status.UP);
        assertThat(health.getDetails())
                .containsEntry("redis", Map.of("state", "UP", "failures", 3L))
                .doesNotContainKey("warnings");
    }

    @Test
    void healthWhenTheStoreIsNotAskedThenWarnsAndIsDownOnlyIfStrict() {
        Health health = health(DOWN, false);
        assertThat(health.getStatus()).isEqualTo(Status.UP);
        assertThat(health.getDetails()).containsEntry("redis", Map.of("state", "DOWN", "failures", 17L));
        assertThat(health.getDetails().get("warnings")).asString().contains("Redis is not asked, because it failed");
        assertThat(health(DOWN, true).getStatus()).isEqualTo(Status.DOWN);
    }

    @Test
    void endpointWhenThereIsAStoreThenTellsHowItFares() {
        assertThat(new RateLimitEndpoint(
                                new PolicyHolder(),
                                limiter(DOWN),
                                new KeyMask(Show.NEVER, Set.of()),
                                LimiterFixture.CHANGER,
                                AnnotatedKeys.NONE)
                        .limits()
                        .redis())
                .isEqualTo(new LimitsDescriptor.StoreDescriptor("DOWN", 17, Map.of("unreachable", 17L)));
    }

    private static Health health(StoreHealth store, boolean strict) {
        return Objects.requireNonNull(
                new RateLimitHealthIndicator(new PolicyHolder(), limiter(store), strict).health(true));
    }

    private static RateLimiter limiter(StoreHealth health) {
        return LimiterFixture.limiterOver(new Store(health));
    }

    /** A store that only tells how it fares. */
    private record Store(StoreHealth health) implements SharedStore {

        @Override
        public List<Reply> acquire(List<Demand> demands) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<Reply> peek(List<Demand> demands) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void charge(Demand demand, Reply drawn) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void refund(Demand demand, Reply drawn) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void forget(String zone, RateLimitKey key) {
            throw new UnsupportedOperationException();
        }
    }
}
