package io.github.ratelimit.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.mock.web.MockAsyncContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

@Timeout(60)
class WaitingRoomTests {

    private static final Duration LONG = Duration.ofHours(1);

    private final RequestTimer timer = new RequestTimer();
    private final WaitingRoom room = new WaitingRoom(2, timer, new Occupants(timer));
    private final AtomicInteger dispatches = new AtomicInteger();
    private final MockHttpServletResponse response = new MockHttpServletResponse();

    @AfterEach
    void close() {
        room.stop();
        timer.close();
    }

    @Test
    void takeWhenAllSeatsAreTakenThenRefusesUntilOneIsGivenBack() {
        assertThat(List.of(room.take(), room.take(), room.take())).containsExactly(true, true, false);
        assertThat(room.waiting()).isEqualTo(2);

        room.giveBack();

        assertThat(room.take()).isTrue();
    }

    @Test
    void enterWhenTimeIsOverThenDispatchesOnceAndFreesTheSeat() {
        Request request = enter(Duration.ofMillis(1));

        await().untilAsserted(() -> assertThat(dispatches).hasValue(1));
        request.tell(AsyncListener::onComplete);

        assertThat(room.waiting()).isZero();
        assertThat(dispatches).hasValue(1);
    }

    @Test
    void enterWhenClientLeavesThenIsDroppedAndNotServed() {
        Request request = enter(LONG);

        request.tell(AsyncListener::onError);

        assertThat(room.waiting()).isZero();
        assertThat(request.completions).hasValue(1);
        assertThat(dispatches).hasValue(0);
    }

    @Test
    void enterWhenClientLeavesAsTheTimeIsOverThenEndsOnce() throws Exception {
        for (int i = 0; i < 200; i++) {
            int before = dispatches.get();
            assertThat(room.take()).isTrue();
            Request request = new Request();
            Thread leaving = new Thread(() -> {
                while (!request.isListenedTo()) {
                    Thread.onSpinWait();
                }
                request.tell(AsyncListener::onError);
            });
            leaving.start();
            room.enter(request, response, Duration.ofNanos(1));
            leaving.join();
            while (dispatches.get() - before + request.completions.get() == 0) {
                Thread.onSpinWait();
            }
            request.tell(AsyncListener::onComplete);
            assertThat(dispatches.get() - before + request.completions.get()).isEqualTo(1);
            assertThat(room.waiting()).isZero();
        }
    }

    @Test
    void stopThenAnswersAllThatWaitAndLetsNobodyInUntilItStartsAgain() {
        Request request = enter(LONG);

        room.stop();

        assertThat(response.getStatus()).isEqualTo(503);
        assertThat(request.completions).hasValue(1);
        assertThat(dispatches).hasValue(0);
        assertThat(room.waiting()).isZero();
        assertThat(room.take()).isFalse();
        assertThat(room.isRunning()).isFalse();

        room.start();

        enter(Duration.ofMillis(1));
        await().untilAsserted(() -> assertThat(dispatches).hasValue(1));
    }

    @Test
    void enterWhenRoomHasStoppedThenIsAnswered() {
        assertThat(room.take()).isTrue();
        room.stop();

        room.enter(new Request(), response, LONG);

        assertThat(response.getStatus()).isEqualTo(503);
        assertThat(room.waiting()).isZero();
    }

    @Test
    void enterWhenDispatchFailsThenIsAnswered() {
        assertThat(room.take()).isTrue();
        Request request = new Request();
        request.unmapped = true;

        room.enter(request, response, Duration.ofMillis(1));

        await().untilAsserted(() -> assertThat(request.completions).hasValue(1));
        assertThat(response.getStatus()).isEqualTo(500);
        assertThat(room.waiting()).isZero();
    }

    @Test
    void enterWhenServerRefusesToSuspendThenFreesTheSeat() {
        assertThat(room.take()).isTrue();
        MockHttpServletRequest request = new MockHttpServletRequest() {
            @Override
            public AsyncContext startAsync(ServletRequest request, @Nullable ServletResponse response) {
                throw new IllegalStateException("expected by the test");
            }
        };
        request.setAsyncSupported(true);

        assertThatIllegalStateException().isThrownBy(() -> room.enter(request, response, LONG));

        assertThat(room.waiting()).isZero();
    }

    @Test
    void enterWhenAsyncIsNotSupportedThenWaitsOnTheThread() {
        assertThat(room.take()).isTrue();
        long start = System.nanoTime();

        assertThat(room.enter(new MockHttpServletRequest(), response, Duration.ofMillis(20)))
                .isFalse();

        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(20_000_000);
        assertThat(room.waiting()).isZero();
    }

    private Request enter(Duration delay) {
        assertThat(room.take()).isTrue();
        Request request = new Request();
        assertThat(room.enter(request, response, delay)).isTrue();
        return request;
    }

    /** A request of a server that counts what becomes of it. */
    private final class Request extends MockHttpServletRequest {

        private final AtomicInteger completions = new AtomicInteger();
        private volatile @Nullable MockAsyncContext context;
        private volatile boolean unmapped;

        Request() {
            setAsyncSupported(true);
        }

        @Override
        public AsyncContext startAsync(ServletRequest request, @Nullable ServletResponse response) {
            MockAsyncContext started = new MockAsyncContext(request, response) {
                @Override
                public void dispatch() {
                    if (unmapped) {
                        throw new UnsupportedOperationException("expected by the test");
                    }
                    dispatches.incrementAndGet();
                }

                @Override
                public void complete() {
                    completions.incrementAndGet();
                }
            };
            context = started;
            return started;
        }

        boolean isListenedTo() {
            MockAsyncContext started = context;
            return started != null && !started.getListeners().isEmpty();
        }

        void tell(Event event) {
            MockAsyncContext told = context;
            if (told != null) {
                for (AsyncListener listener : told.getListeners()) {
                    event.tell(listener, told);
                }
            }
        }
    }

    /** One method of a listener. */
    private interface Event {

        void call(AsyncListener listener, AsyncEvent event) throws IOException;

        default void tell(AsyncListener listener, AsyncContext context) {
            try {
                call(listener, new AsyncEvent(context));
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
    }
}
