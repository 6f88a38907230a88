package io.github.ratelimit.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.ratelimit.Decision.Reason;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimited;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Concurrency;
import io.github.ratelimit.algorithm.LeakyBucket;
import io.github.ratelimit.algorithm.Rate;
import io.github.ratelimit.key.KeyPlan.MissingKey;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.policy.Zone;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.stereotype.Component;

/** Calls of beans that occupy a place while they run, or wait before they do. */
class LastingCallsTests {

    private final Application application = Application.start(
            List.of(
                    zone("places", new Concurrency(2)),
                    zone("queue", LeakyBucket.of(Rate.parse("50/s"), 2, 0)),
                    zone("hours", LeakyBucket.of(Rate.parse("1/h"), 2, 0))),
            Worker.class);
    private final Worker worker = application.bean(Worker.class);

    @AfterEach
    void close() {
        application.close();
    }

    @Test
    void callThenOccupiesAPlaceUntilItReturns() {
        worker.work(() -> {
            assertThat(free()).isEqualTo(1);
            worker.work(() -> {
                assertThat(free()).isZero();
                assertThatExceptionOfType(RateLimitExceededException.class)
                        .isThrownBy(() -> worker.work(() -> {}))
                        .satisfies(e -> assertThat(e.decision().reason()).isEqualTo(Reason.LIMIT));
                assertThat(free()).as("the refused gave nothing back").isZero();
            });
            assertThat(free()).isEqualTo(1);
        });
        assertThat(free()).isEqualTo(2);
    }

    @Test
    void callWhenItThrowsThenGivesItsPlaceBackOnce() {
        worker.work(() -> {
            for (Throwable failure : List.of(new IllegalStateException("a"), new AssertionError("b"))) {
                assertThatExceptionOfType(failure.getClass()).isThrownBy(() -> worker.fail(failure));
                assertThat(free()).isEqualTo(1);
            }
        });
        assertThat(free()).isEqualTo(2);
    }

    @Test
    void callWhenItReturnsAFutureThenOccupiesUntilThatIsComplete() {
        for (@Nullable Throwable failure : new @Nullable Throwable[] {null, new IllegalStateException("expected")}) {
            CompletableFuture<String> result = new CompletableFuture<>();
            CompletionStage<String> stage = worker.later(result);
            assertThat(free()).isEqualTo(1);
            if (failure == null) {
                result.complete("done");
            } else {
                result.completeExceptionally(failure);
            }
            assertThat(stage.toCompletableFuture()).isDone();
            assertThat(free()).isEqualTo(2);
        }
    }

    @Test
    void callWhenDelayedThenWaitsOnItsThread() {
        worker.queue();
        long start = System.nanoTime();

        worker.queue();

        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(20_000_000);
        worker.queue();
        assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(worker::queue);
    }

    @Test
    void callWhenInterruptedWhileItWaitsThenDoesNotRunAndGivesItsPlaceBack() throws InterruptedException {
        worker.waitAndWork(() -> {});
        AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
        Thread waiting = new Thread(() -> {
            try {
                worker.waitAndWork(() -> {
                    throw new AssertionError("ran");
                });
            } catch (RateLimitExceededException e) {
                thrown.set(Thread.currentThread().isInterrupted() ? e : new AssertionError("not interrupted"));
            }
        });
        waiting.start();
        while (waiting.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        assertThat(free()).isEqualTo(1);

        waiting.interrupt();

        waiting.join(TimeUnit.SECONDS.toMillis(10));
        assertThat(thrown.get()).isInstanceOf(RateLimitExceededException.class);
        assertThat(free()).isEqualTo(2);
    }

    private long free() {
        return application.left("places", RateLimitKey.ofText("global"));
    }

    private static Zone zone(String name, Algorithm algorithm) {
        Zone any = Application.zone(name, "global", MissingKey.REJECT);
        return new Zone(name, any.key(), algorithm, any.maxKeys(), any.whenFull(), false);
    }

    @Component
    static class Worker {

        @RateLimited("places")
        public void work(Runnable work) {
            work.run();
        }

        @RateLimited("places")
        public void fail(Throwable failure) throws Throwable {
            throw failure;
        }

        @RateLimited("places")
        public CompletionStage<String> later(CompletableFuture<String> result) {
            return result.thenApply(done -> done);
        }

        @RateLimited("queue")
        public void queue() {}

        @RateLimited("hours")
        @RateLimited("places")
        public void waitAndWork(Runnable work) {
            work.run();
        }
    }
}
