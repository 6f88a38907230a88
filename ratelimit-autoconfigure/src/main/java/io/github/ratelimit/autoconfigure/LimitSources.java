package io.github.ratelimit.autoconfigure;

import io.github.ratelimit.method.RateLimitedAnnotationProcessor.Annotated;
import io.github.ratelimit.policy.InvalidPolicyException;
import io.github.ratelimit.policy.InvalidPolicyException.Fault;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.env.Environment;

/**
 * Where limits are written: the application's own configuration, and over it a file that may change while the application
 * runs. What is wrong is told with every fault, and what was in force before stays. Safe for use by many threads.
 */
final class LimitSources {

    private static final Logger log = LoggerFactory.getLogger("io.github.ratelimit");

    private final ReentrantLock lock = new ReentrantLock();
    private final PolicyRefresher refresher;
    private final Environment environment;
    private final @Nullable ReloadFile file;

    private PropertiesBinder.Bound application;
    private ReloadFile.@Nullable Read read;
    private byte @Nullable [] atStart;

    /**
     * The sources.
     *
     * @param application what the application's own configuration said when it started
     * @param environment tells what it says later
     * @param file lies over it; {@code null} for none
     */
    LimitSources(
            PolicyRefresher refresher,
            PropertiesBinder.Bound application,
            Environment environment,
            @Nullable ReloadFile file) {
        this.refresher = refresher;
        this.application = application;
        this.environment = environment;
        this.file = file;
    }

    /** Reads the file for the first time; its faults. A file that is not there yet is none. */
    List<Fault> readFile() {
        if (file == null) {
            return List.of();
        }
        try {
            atStart = file.content();
        } catch (IOException e) {
            return List.of(new Fault("ratelimit.reload.location", "is '" + file + "', which cannot be read: " + e));
        }
        if (atStart == null) {
            log.warn("Rate limiting: {} is not there yet; it is put in force when it comes", file);
            return List.of();
        }
        read = file.read(atStart);
        return read.faults();
    }

    /** What was in the file when the application started, {@code null} when there was none. */
    byte @Nullable [] fileAtStart() {
        return atStart;
    }

    /** What all sources say. */
    WrittenLimits limits() {
        return limits(application, read);
    }

    /** Puts in force what all sources said at start-up. */
    void start(Annotated annotated) {
        refresher.start(limits(), annotated);
    }

    /** Puts in force what is in the file now. */
    void fileChanged(byte[] content) {
        lock.lock();
        try {
            if (file == null) {
                return;
            }
            ReloadFile.Read next = file.read(content);
            if (putInForce(file.toString(), next.faults(), limits(application, next))) {
                read = next;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Puts in force what the application's own configuration says now. */
    void applicationChanged() {
        lock.lock();
        try {
            PropertiesBinder.Bound bound = PropertiesBinder.bind(environment);
            if (putInForce("The changed environment", bound.faults(), limits(bound, read))) {
                if (!bound.properties()
                        .withoutLimits()
                        .equals(application.properties().withoutLimits())) {
                    log.warn(
                            "Rate limiting: of the settings that have changed under ratelimit, all but zones, rules and"
                                    + " dry-run take effect at the next start");
                }
                application = bound;
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean putInForce(String what, List<Fault> found, WrittenLimits limits) {
        List<Fault> faults = new ArrayList<>(found);
        try {
            if (faults.isEmpty()) {
                refresher.refresh(limits);
                log.info(
                        "Rate limiting: {} was put in force: {} zones, {} rules by URL; dry run {}",
                        what,
                        limits.zones().size(),
                        limits.rules().size(),
                        limits.dryRun() ? "ON: nothing is refused" : "off");
                return true;
            }
            // what can be read of it may have further faults: all are told at once
            faults.addAll(refresher.compile(limits).faults());
        } catch (InvalidPolicyException e) {
            faults.addAll(e.faults());
        }
        List<Fault> all = faults.stream().distinct().toList();
        log.error(
                "Rate limiting: {} was not put in force, and the limits before it stay. It has {}:\n{}",
                what,
                InvalidPolicyFailureAnalyzer.count(all),
                all.stream().map(fault -> "  - " + fault).collect(Collectors.joining("\n")));
        return false;
    }

    private static WrittenLimits limits(PropertiesBinder.Bound application, ReloadFile.@Nullable Read read) {
        WrittenLimits own = WrittenLimits.of(application);
        return read == null ? own : own.under(read.limits(), read.dryRun());
    }
}
