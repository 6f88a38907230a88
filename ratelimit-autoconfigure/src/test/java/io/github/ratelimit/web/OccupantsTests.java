package io.github.ratelimit.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.ratelimit.algorithm.Concurrency;
import io.github.ratelimit.fixture.LimiterFixture;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.limiter.Charge;
import io.github.ratelimit.limiter.RequestLedger;
import io.github.ratelimit.policy.Zone;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockAsyncContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class OccupantsTests {

    private static final RateLimitKey KEY = RateLimitKey.ofText("key");

    private final LimiterFixture limiter = new LimiterFixture();
    private final RequestTimer timer = new RequestTimer();
    private final Occupants occupants = new Occupants(timer);
    private final Zone places = places();
    private final Request request = new Request();
    private final MockHttpServletResponse response = new MockHttpServletResponse();
    private final MockAsyncContext context = new MockAsyncContext(request, response);

    @AfterEach
    void close() {
        timer.close();
        limiter.close();
    }

    @Test
    void requestWhenCompleteThenGivesBackWhatItOccupied() {
        occupants.add(occupying(), context);
        assertThat(free()).isEqualTo(4);

        context.complete();

        assertThat(free()).isEqualTo(5);
        assertThat(occupants.size()).isZero();
    }

    @Test
    void requestWhenTheServerForgetsItThenGivesBackWhatItOccupiedOnce() {
        occupants.add(occupying(), context);
        Request other = new Request();
        occupants.add(occupying(other), new MockAsyncContext(other, response));

        request.recycled = true;

        await().untilAsserted(() -> assertThat(free()).isEqualTo(4));
        assertThat(occupants.size()).as("the other lives").isEqualTo(1);
        context.complete();
        assertThat(free()).isEqualTo(4);

        other.recycled = true;

        await().untilAsserted(() -> assertThat(free()).isEqualTo(5));
    }

    @Test
    void requestWhenItOccupiesNothingThenIsNotWatched() {
        occupants.add(Passage.begin(request, response, new RequestLedger(limiter.limiter())), context);

        assertThat(occupants.size()).isZero();
        assertThat(context.getListeners()).isEmpty();
    }

    private Passage occupying() {
        return occupying(request);
    }

    private Passage occupying(Request request) {
        RequestLedger ledger = new RequestLedger(limiter.limiter());
        ledger.note(Objects.requireNonNull(limiter.limiter().acquire(List.of(new Charge(places, KEY, 1, false)))));
        return Passage.begin(new HttpServletRequestWrapper(request), response, ledger);
    }

    private long free() {
        return limiter.limiter().peek(places, KEY, 0).remaining();
    }

    private static Zone places() {
        Zone any = LimiterFixture.zone("places", "1/s", 1);
        return new Zone("places", any.key(), new Concurrency(5), any.maxKeys(), any.whenFull(), false);
    }

    /** A request that the server may use for another client. */
    private static final class Request extends MockHttpServletRequest {

        private volatile boolean recycled;

        @Override
        public DispatcherType getDispatcherType() {
            if (recycled) {
                throw new IllegalStateException("The request has been recycled");
            }
            return super.getDispatcherType();
        }
    }
}
