package io.github.ratelimit.limiter;

import io.github.ratelimit.Decision;
import io.github.ratelimit.Decision.Outcome;
import io.github.ratelimit.Decision.Reason;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Step;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Says a step of the arithmetic in the words of the public API. */
final class Decisions {

    private Decisions() {}

    /** Says a step; {@code null} when the request had no key and the zone says to refuse it. */
    static Decision of(Charge charge, @Nullable Step step) {
        return step == null ? missingKey(charge) : ofStep(charge, step);
    }

    /** Enforced before dry run, then the fewest permits left. */
    static boolean isStricter(Decision decision, Decision than) {
        boolean dry = decision.outcome() == Outcome.DRY_RUN_REJECTED;
        boolean thanDry = than.outcome() == Outcome.DRY_RUN_REJECTED;
        return dry == thanDry ? decision.remaining() < than.remaining() : thanDry;
    }

    /** No wait that helps is longer than any. */
    static boolean waitsLonger(Decision decision, Decision than) {
        Duration wait = decision.retryAfter();
        Duration thanWait = than.retryAfter();
        return thanWait != null && (wait == null || wait.compareTo(thanWait) > 0);
    }

    private static Decision ofStep(Charge charge, Step step) {
        return decision(
                charge,
                outcome(charge, step),
                reason(step),
                step.remaining(),
                duration(step.resetNanos()),
                step.admitted() || step.retryNanos() == Step.NEVER ? null : Duration.ofNanos(step.retryNanos()),
                charge.dryRun() ? Duration.ZERO : duration(step.delayNanos()));
    }

    private static Decision missingKey(Charge charge) {
        Outcome outcome = charge.dryRun() ? Outcome.DRY_RUN_REJECTED : Outcome.REJECTED;
        return decision(charge, outcome, Reason.MISSING_KEY, 0, Duration.ZERO, null, Duration.ZERO);
    }

    private static Decision decision(
            Charge charge,
            Outcome outcome,
            @Nullable Reason reason,
            long remaining,
            Duration resetAfter,
            @Nullable Duration retryAfter,
            Duration delay) {
        Algorithm algorithm = charge.zone().algorithm();
        return new Decision(
                outcome,
                charge.zone().name(),
                reason,
                algorithm.limit(),
                remaining,
                duration(algorithm.fillNanos()),
                resetAfter,
                retryAfter,
                delay);
    }

    private static Outcome outcome(Charge charge, Step step) {
        if (!step.admitted()) {
            return charge.dryRun() ? Outcome.DRY_RUN_REJECTED : Outcome.REJECTED;
        }
        return step.delayNanos() > 0 ? Outcome.DELAYED : Outcome.PERMITTED;
    }

    private static @Nullable Reason reason(Step step) {
        return switch (step.verdict()) {
            case ADMITTED, ADMITTED_SHARED -> null;
            case REFUSED -> Reason.LIMIT;
            case UNAFFORDABLE -> Reason.COST;
            case REFUSED_SHARED -> Reason.SHARED;
            case REFUSED_FULL -> Reason.FULL;
        };
    }

    private static Duration duration(long nanos) {
        return nanos == 0 ? Duration.ZERO : Duration.ofNanos(nanos);
    }
}
