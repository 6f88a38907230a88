package io.github.ratelimit.method;

import io.github.ratelimit.Decision;
import io.github.ratelimit.RateLimitContext;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.key.ClientAddress;
import io.github.ratelimit.key.ServletRequestView;
import io.github.ratelimit.limiter.Charge;
import io.github.ratelimit.limiter.Draw;
import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.limiter.RequestLedger;
import io.github.ratelimit.limiter.Ruling;
import io.github.ratelimit.limiter.WaitingSeats;
import io.github.ratelimit.policy.Policy;
import io.github.ratelimit.policy.PolicyHolder;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;

/**
 * Charges calls of limited methods, on the thread of the caller; the one place where annotations meet the limiter.
 *
 * <p>A handler is part of its request: what the URL rule paid counts for it, and what it pays counts for the methods
 * that it calls; when it is refused, the request has not been served, and gets back all that it has paid. Another method
 * is not: its first call in a request is settled with what rule and handler have paid to
 * the same zone for the same key, and each further call pays in full. Safe for use by many threads.
 */
final class CallCharger {

    private static final @Nullable Object[] NOT_BOUND = {};

    private final RateLimiter limiter;
    private final WaitingSeats seats;
    private final PolicyHolder policies;
    private final ClientAddress clients;
    private final EvaluationContext expressions;

    CallCharger(
            RateLimiter limiter,
            WaitingSeats seats,
            PolicyHolder policies,
            ClientAddress clients,
            EvaluationContext expressions) {
        this.limiter = limiter;
        this.seats = seats;
        this.policies = policies;
        this.clients = clients;
        this.expressions = expressions;
    }

    /**
     * Charges a handler for what needs no argument.
     *
     * @return how long the request has to wait, on a seat that is taken for it; zero for not at all
     * @throws RateLimitExceededException when it is refused
     */
    Duration beforeBinding(MethodLimits limits, HttpServletRequest request) {
        Ruling ruling = asHandler(limits, limits.early(), request, NOT_BOUND);
        Decision refusal = refusal(ruling);
        if (refusal != null || limits.late().isEmpty()) {
            settle(limits, request, refusal);
        }
        return ruling == null ? Duration.ZERO : ruling.delay();
    }

    /**
     * Charges a handler for what needs its arguments, and waits where it has to.
     *
     * @throws RateLimitExceededException when it is refused
     */
    void afterBinding(MethodLimits limits, HttpServletRequest request, @Nullable Object[] arguments) {
        if (!limits.late().isEmpty()) {
            Ruling ruling = asHandler(limits, limits.late(), request, arguments);
            settle(limits, request, refusal(ruling));
            if (ruling != null && !hasWaited(ruling)) {
                throw new RateLimitExceededException(ruling.decision());
            }
        }
    }

    /**
     * Charges one call of a method through its bean, and waits where it has to.
     *
     * @param request the request that led to it, {@code null} when there is none
     * @return what the call occupies as long as it runs, for {@link #release}
     * @throws RateLimitExceededException when it is refused
     */
    List<Draw> charge(MethodLimits limits, @Nullable HttpServletRequest request, @Nullable Object[] arguments) {
        Ruling ruling = request == null
                ? limiter.acquire(once(charges(limits, limits.all(), null, arguments)), new CallOrigin(limits, null))
                : asCallee(limits, request, arguments);
        Decision refusal = refusal(ruling);
        if (refusal != null) {
            throw new RateLimitExceededException(refusal);
        }
        if (ruling == null) {
            return List.of();
        }
        List<Draw> occupied = occupied(ruling.draws());
        if (!hasWaited(ruling)) {
            release(occupied);
            throw new RateLimitExceededException(ruling.decision());
        }
        return occupied;
    }

    /** Gives back what a call occupied. */
    void release(List<Draw> occupied) {
        occupied.forEach(draw -> limiter.refund(draw, draw.charge().cost()));
    }

    private static List<Draw> occupied(List<Draw> draws) {
        return draws.stream().noneMatch(Draw::occupies)
                ? List.of()
                : draws.stream().filter(Draw::occupies).toList();
    }

    /**
     * Waits where a call has to: there is no other way than on its thread, and the number of those that wait is bounded.
     *
     * @return false when the thread was interrupted, and the call must not go on
     */
    private boolean hasWaited(Ruling ruling) {
        if (ruling.delay().isZero()) {
            return true;
        }
        try {
            TimeUnit.NANOSECONDS.sleep(ruling.delay().toNanos());
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            seats.giveBack();
        }
    }

    private static void settle(MethodLimits limits, HttpServletRequest request, @Nullable Decision refusal) {
        limits.count(request, refusal == null);
        if (refusal != null) {
            throw new RateLimitExceededException(refusal);
        }
    }

    private @Nullable Ruling asHandler(
            MethodLimits limits, List<Limit> part, HttpServletRequest request, @Nullable Object[] arguments) {
        RequestLedger ledger = ledger(request);
        List<Charge> charges = charges(limits, part, request, arguments);
        Ruling ruling = limiter.acquire(ledger.outstanding(charges), new CallOrigin(limits, request));
        return ruling == null ? null : ledger.note(ruling, charges);
    }

    private @Nullable Ruling asCallee(MethodLimits limits, HttpServletRequest request, @Nullable Object[] arguments) {
        RequestCalls calls = RequestCalls.of(request);
        RequestLedger ledger = ledger(request);
        List<Charge> charges = charges(limits, limits.all(), request, arguments);
        boolean settled = calls.isSettled(limits);
        Ruling ruling =
                limiter.acquire(settled ? once(charges) : ledger.outstanding(charges), new CallOrigin(limits, request));
        if (ruling != null) {
            ledger.noteDecisions(ruling);
        }
        if (refusal(ruling) == null && !settled) {
            calls.settle(limits);
        }
        return ruling;
    }

    private RequestLedger ledger(HttpServletRequest request) {
        if (request.getAttribute(RateLimitContext.ATTRIBUTE) instanceof RequestLedger ledger) {
            return ledger;
        }
        RequestLedger ledger = new RequestLedger(limiter);
        request.setAttribute(RateLimitContext.ATTRIBUTE, ledger);
        return ledger;
    }

    private List<Charge> charges(
            MethodLimits limits, List<Limit> part, @Nullable HttpServletRequest request, @Nullable Object[] arguments) {
        Policy policy = policies.get();
        Call call = new Call(
                request == null ? NoRequest.VIEW : new ServletRequestView(request, clients),
                request,
                limits.variables(),
                arguments,
                expressions);
        List<Charge> charges = new ArrayList<>(part.size());
        for (Limit limit : part) {
            Charge charge = limit.charge(policy, call);
            if (charge != null) {
                charges.add(charge);
            }
        }
        return charges;
    }

    /** Several annotations may name one zone: a call pays the highest cost to it, once. */
    private List<Charge> once(List<Charge> charges) {
        return charges.size() < 2 ? charges : new RequestLedger(limiter).outstanding(charges);
    }

    private static @Nullable Decision refusal(@Nullable Ruling ruling) {
        return ruling == null || ruling.decision().permitted() ? null : ruling.decision();
    }
}
