package io.github.ratelimit.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.ratelimit.fixture.LimiterFixture;
import io.github.ratelimit.limiter.RequestLedger;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class ResumeGuardTests {

    private final LimiterFixture limiter = new LimiterFixture();
    private final MockHttpServletRequest request = new MockHttpServletRequest();
    private final MockHttpServletResponse response = new MockHttpServletResponse();
    private final MockFilterChain chain = new MockFilterChain();

    @AfterEach
    void close() {
        limiter.close();
    }

    @Test
    void doFilterWhenAFilterWouldBePassedOverThenTheDelayedRequestEndsHere() throws Exception {
        passage().suspend();

        new ResumeGuard(() -> List.of("auth")).doFilter(request, response, chain);

        assertThat(chain.getRequest()).isNull();
        assertThat(response.getStatus()).isEqualTo(500);
    }

    @Test
    void doFilterWhenAllFiltersAreAskedThenTheDelayedRequestGoesOn() throws Exception {
        passage().suspend();

        new ResumeGuard(List::of).doFilter(request, response, chain);

        assertThat(chain.getRequest()).isSameAs(request);
    }

    @Test
    void doFilterWhenTheDelayedRequestIsAHandshakeThenItEndsHere() throws Exception {
        request.addHeader("Upgrade", "websocket");
        passage().suspend();

        new ResumeGuard(List::of).doFilter(request, response, chain);

        assertThat(chain.getRequest()).isNull();
        assertThat(response.getStatus()).isEqualTo(503);
    }

    @Test
    void doFilterWhenTheApplicationDispatchesThenGoesOn() throws Exception {
        passage();

        new ResumeGuard(() -> List.of("auth")).doFilter(request, response, chain);

        assertThat(chain.getRequest()).isSameAs(request);
    }

    private Passage passage() {
        return Passage.begin(request, response, new RequestLedger(limiter.limiter()));
    }
}
