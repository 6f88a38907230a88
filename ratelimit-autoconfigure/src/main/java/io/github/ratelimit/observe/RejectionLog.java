package io.github.ratelimit.observe;

import io.github.ratelimit.key.RateLimitKey;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the refusals of one zone to the log {@value #NAME}: at most {@value #LINES} lines a second, and then how many were left
 * out. Keys read as an operator may read them: secrets as digests.
 *
 * <p>{@code 2026-11-29T19:49:00Z zone="login" key="203.0.113.7" reason=limit rule="POST /api/login" method="POST"
 * path="/api/login" user-agent="curl/8.5.0"}
 *
 * <p>Safe for use by many threads; a line that is left out costs one atomic step.
 */
final class RejectionLog {

    /** The logger of all zones. */
    static final String NAME = "io.github.ratelimit.rejections";

    static final int LINES = 10;

    private static final Logger log = LoggerFactory.getLogger(NAME);
    private static final long SECOND_MILLIS = 1_000;
    private static final Executor AFTER_A_SECOND = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS);

    /** Begin of the second in milliseconds, above the 8 bits in which the lines of that second are counted. */
    private final AtomicLong second = new AtomicLong();

    private final AtomicLong suppressed = new AtomicLong();
    private final String zone;
    private final Executor afterASecond;

    RejectionLog(String zone) {
        this(zone, AFTER_A_SECOND);
    }

    /**
     * A log of one zone.
     *
     * @param afterASecond runs what it is given a second later
     */
    RejectionLog(String zone, Executor afterASecond) {
        this.zone = SafeText.quoted(zone);
        this.afterASecond = afterASecond;
    }

    void write(Refusal refusal) {
        if (!log.isInfoEnabled()) {
            return;
        }
        if (mayWrite(refusal.at().toEpochMilli())) {
            log.info(line(refusal));
        } else if (suppressed.getAndIncrement() == 0) {
            afterASecond.execute(this::tellSuppressed);
        }
    }

    /**
     * Counts a line of the second that is running, or begins another. Threads do not come in the order of their clocks, so a
     * little earlier is the same second; much earlier is a clock that was set back.
     */
    private boolean mayWrite(long nowMillis) {
        while (true) {
            long current = second.get();
            long begin = current >> 8;
            boolean running = Math.abs(nowMillis - begin) < SECOND_MILLIS;
            if (running && (current & 0xff) >= LINES) {
                return false;
            }
            long next = running ? current + 1 : nowMillis << 8 | 1;
            if (second.compareAndSet(current, next)) {
                return true;
            }
        }
    }

    private void tellSuppressed() {
        long count = suppressed.getAndSet(0);
        if (count > 0) {
            log.info("zone={} {} more refusals were not logged: no more than {} a second are", zone, count, LINES);
        }
    }

    private String line(Refusal refusal) {
        RateLimitKey key = refusal.key();
        StringBuilder line = new StringBuilder(256)
                .append(refusal.at())
                .append(" zone=")
                .append(zone)
                .append(" key=")
                .append(SafeText.quoted(key == null ? null : key.toString()))
                .append(" reason=")
                .append(String.valueOf(refusal.decision().reason()).toLowerCase(Locale.ROOT))
                .append(" rule=")
                .append(SafeText.quoted(refusal.rule()))
                .append(" method=")
                .append(SafeText.quoted(refusal.method()))
                .append(" path=")
                .append(SafeText.quoted(refusal.path()))
                .append(" user-agent=")
                .append(SafeText.quoted(refusal.userAgent()));
        return (refusal.dryRun() ? line.append(" dry-run=true") : line).toString();
    }
}
