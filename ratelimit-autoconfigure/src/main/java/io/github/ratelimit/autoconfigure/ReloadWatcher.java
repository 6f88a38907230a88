package io.github.ratelimit.autoconfigure;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Looks at a file from time to time and puts in force what has changed in it.
 *
 * <p>Contents are compared, not times or sizes, and the path is followed anew at each look: so an edit within one second,
 * and the symbolic links by which Kubernetes swaps a ConfigMap, are seen. A content counts once two looks have found it
 * the same, so that a file is not read while it is written. Each content is tried once. A file that is missing changes
 * nothing.
 */
final class ReloadWatcher implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger("io.github.ratelimit");
    private static final long SETTLE_MILLIS = 200;
    private static final String MISSING = "is missing";

    private final LimitSources sources;
    private final @Nullable ReloadFile file;
    private final long intervalMillis;
    private @Nullable ScheduledThreadPoolExecutor thread;

    private byte @Nullable [] tried;
    private byte @Nullable [] unsettled;
    private @Nullable String trouble;

    /**
     * A watcher.
     *
     * @param sources takes what has changed
     * @param file the file, {@code null} when there is none to watch
     * @param interval how often it is looked at
     */
    ReloadWatcher(LimitSources sources, @Nullable ReloadFile file, Duration interval) {
        this.sources = sources;
        this.file = file;
        this.intervalMillis = Math.max(1, interval.toMillis());
    }

    @Override
    public boolean isAutoStartup() {
        return file != null;
    }

    @Override
    public synchronized void start() {
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, task -> {
            Thread looking = new Thread(task, "ratelimit-reload");
            looking.setDaemon(true);
            return looking;
        });
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        thread = executor;
        adopt();
        next(executor, intervalMillis);
    }

    @Override
    public synchronized void stop() {
        if (thread != null) {
            thread.shutdownNow();
            thread = null;
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return thread != null;
    }

    /** What was in the file when the application started is in force already; that it was missing has been said. */
    void adopt() {
        tried = sources.fileAtStart();
        trouble = tried == null ? MISSING : null;
    }

    private void next(ScheduledThreadPoolExecutor executor, long millis) {
        executor.schedule(
                () -> {
                    boolean soon = look();
                    if (!executor.isShutdown()) {
                        next(executor, soon ? Math.min(SETTLE_MILLIS, intervalMillis) : intervalMillis);
                    }
                },
                millis,
                TimeUnit.MILLISECONDS);
    }

    /** Looks once; whether it should look again soon, because the file may be being written. */
    boolean look() {
        try {
            byte[] content = Objects.requireNonNull(file).content();
            if (content == null) {
                say(MISSING);
                return false;
            }
            trouble = null;
            if (Arrays.equals(content, tried)) {
                unsettled = null;
                return false;
            }
            if (!Arrays.equals(content, unsettled)) {
                unsettled = content;
                return true;
            }
            tried = content;
            unsettled = null;
            sources.fileChanged(content);
        } catch (IOException | RuntimeException e) {
            say("cannot be read: " + e);
        }
        return false;
    }

    /** Says once what is wrong with the file. */
    private void say(String problem) {
        if (!problem.equals(trouble)) {
            trouble = problem;
            log.warn("Rate limiting: {} {}; the limits in force stay", file, problem);
        }
    }
}
