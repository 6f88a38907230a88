package io.github.ratelimit.web;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The one thread that does what has to be done later; all tasks are quick. */
public final class RequestTimer implements AutoCloseable {

    private final ScheduledThreadPoolExecutor executor;

    /** A timer; its thread is started by the first task. */
    public RequestTimer() {
        executor = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "ratelimit-timer");
            thread.setDaemon(true);
            return thread;
        });
        executor.setRemoveOnCancelPolicy(true);
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /**
     * Runs a task once.
     *
     * @param delay how long from now
     * @throws java.util.concurrent.RejectedExecutionException when the timer is closed
     */
    Future<?> after(Duration delay, Runnable task) {
        return executor.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Drops all tasks. */
    @Override
    public void close() {
        executor.shutdownNow();
    }
}
