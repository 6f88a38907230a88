package io.github.ratelimit.store.local;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntUnaryOperator;

/** Threads that are released at the same moment. */
final class Crowd implements AutoCloseable {

    private final int threads;
    private final ExecutorService executor;

    Crowd(int threads) {
        this.threads = threads;
        this.executor = Executors.newFixedThreadPool(threads);
    }

    /** Deals tasks 0 to {@code tasks - 1} out to the threads; the sum of what they return. */
    int sum(int tasks, IntUnaryOperator task) throws Exception {
        CountDownLatch ready = new CountDownLatch(threads);
        CountDownLatch go = new CountDownLatch(1);
        List<Future<Integer>> parts = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int first = t;
            parts.add(executor.submit(() -> {
                ready.countDown();
                go.await();
                int sum = 0;
                for (int i = first; i < tasks; i += threads) {
                    sum += task.applyAsInt(i);
                }
                return sum;
            }));
        }
        ready.await();
        go.countDown();
        int sum = 0;
        for (Future<Integer> part : parts) {
            sum += part.get();
        }
        return sum;
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
