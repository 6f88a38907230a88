package io.github.ratelimit.limiter;

import io.github.ratelimit.Decision;
import io.github.ratelimit.Decision.Outcome;
import io.github.ratelimit.Decision.Reason;
import io.github.ratelimit.algorithm.Algorithm;
import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.store.Bans.Ban;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Says a step of the arithmetic in the words of the public API. */
final class Decisions {

    private Decisions() {}

    /** Says what became of a charge. */
    static Decision of(Draw draw) {
        Charge charge = draw.charge();
        if (charge.unlimited() && charge.key() != null) {
            return unlimited(charge);
        }
        Step step = draw.step();
        Algorithm algorithm = charge.algorithm();
        return new Decision(
                outcome(draw),
                charge.zone().name(),
                draw.reason() != null || step == null ? draw.reason() : reason(step),
                algorithm.limit(),
                step == null ? 0 : step.remaining(),
                duration(algorithm.fillNanos()),
                step == null ? Duration.ZERO : duration(step.resetNanos()),
                step == null || step.admitted() || step.retryNanos() == Step.NEVER
                        ? null
                        : Duration.ofNanos(step.retryNanos()),
                duration(draw.delayNanos()));
    }

    /** Says a refusal that led to a ban: no wait that is shorter than the ban helps. */
    static Decision leadingTo(Ban ban, Decision refusal) {
        Duration wait = refusal.retryAfter();
        Duration whole = refusal.resetAfter();
        if (ban.permanent()) {
            wait = null;
        } else {
            Duration rest = Duration.ofNanos(ban.restNanos());
            wait = wait == null || wait.compareTo(rest) > 0 ? wait : rest;
            whole = whole.compareTo(rest) > 0 ? whole : rest;
        }
        return new Decision(
                refusal.outcome(),
                refusal.zone(),
                refusal.reason(),
                refusal.limit(),
                refusal.remaining(),
                refusal.window(),
                whole,
                wait,
                refusal.delay());
    }

    private static Decision unlimited(Charge charge) {
        return new Decision(
                Outcome.PERMITTED,
                charge.zone().name(),
                null,
                Decision.UNLIMITED,
                Decision.UNLIMITED,
                Duration.ZERO,
                Duration.ZERO,
                null,
                Duration.ZERO);
    }

    /** Enforced before dry run before uncounted, then the fewest permits left. */
    static boolean isStricter(Decision decision, Decision than) {
        int laxity = laxity(decision);
        int thanLaxity = laxity(than);
        return laxity == thanLaxity ? decision.remaining() < than.remaining() : laxity < thanLaxity;
    }

    private static int laxity(Decision decision) {
        if (decision.outcome() == Outcome.DRY_RUN_REJECTED) {
            return 1;
        }
        return decision.counted() ? 0 : 2;
    }

    /** No wait that helps is longer than any. */
    static boolean waitsLonger(Decision decision, Decision than) {
        Duration wait = decision.retryAfter();
        Duration thanWait = than.retryAfter();
        return thanWait != null && (wait == null || wait.compareTo(thanWait) > 0);
    }

    private static Outcome outcome(Draw draw) {
        if (draw.refused()) {
            return draw.charge().dryRun() ? Outcome.DRY_RUN_REJECTED : Outcome.REJECTED;
        }
        Step step = draw.step();
        return step != null && step.delayNanos() > 0 ? Outcome.DELAYED : Outcome.PERMITTED;
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
