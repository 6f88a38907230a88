package io.github.ratelimit.method;

import io.github.ratelimit.Decision;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.key.ClientAddress;
import io.github.ratelimit.key.ServletRequestView;
import io.github.ratelimit.limiter.Charge;
import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.limiter.RequestLedger;
import io.github.ratelimit.limiter.Ruling;
import io.github.ratelimit.policy.Policy;
import io.github.ratelimit.policy.PolicyHolder;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;

/**
 * Charges calls of limited methods, on the thread of the caller; the one place where annotations meet the limiter.
 *
 * <p>A handler is part of its request: what the URL rule paid counts for it, and what it pays counts for the methods
 * that it calls. Another method is not: its first call in a request is settled with what rule and handler have paid to
 * the same zone for the same key, and each further call pays in full. Safe for use by many threads.
 */
final class CallCharger {

    private static final @Nullable Object[] NOT_BOUND = {};

    private final RateLimiter limiter;
    private final PolicyHolder policies;
    private final ClientAddress clients;
    private final EvaluationContext expressions;

    CallCharger(RateLimiter limiter, PolicyHolder policies, ClientAddress clients, EvaluationContext expressions) {
        this.limiter = limiter;
        this.policies = policies;
        this.clients = clients;
        this.expressions = expressions;
    }

    /**
     * Charges a handler for what needs no argument.
     *
     * @throws RateLimitExceededException when it is refused
     */
    void beforeBinding(MethodLimits limits, HttpServletRequest request) {
        Decision refusal = asHandler(limits, limits.early(), request, NOT_BOUND);
        if (refusal != null || limits.late().isEmpty()) {
            settle(limits, request, refusal);
        }
    }

    /**
     * Charges a handler for what needs its arguments.
     *
     * @throws RateLimitExceededException when it is refused
     */
    void afterBinding(MethodLimits limits, HttpServletRequest request, @Nullable Object[] arguments) {
        if (!limits.late().isEmpty()) {
            settle(limits, request, asHandler(limits, limits.late(), request, arguments));
        }
    }

    /**
     * Charges one call of a method through its bean.
     *
     * @param request the request that led to it, {@code null} when there is none
     * @throws RateLimitExceededException when it is refused
     */
    void charge(MethodLimits limits, @Nullable HttpServletRequest request, @Nullable Object[] arguments) {
        Decision refusal = request == null
                ? refusal(limiter.acquire(once(charges(limits, limits.all(), null, arguments))))
                : asCallee(limits, request, arguments);
        if (refusal != null) {
            throw new RateLimitExceededException(refusal);
        }
    }

    private static void settle(MethodLimits limits, HttpServletRequest request, @Nullable Decision refusal) {
        limits.count(request, refusal == null);
        if (refusal != null) {
            throw new RateLimitExceededException(refusal);
        }
    }

    private @Nullable Decision asHandler(
            MethodLimits limits, List<Limit> part, HttpServletRequest request, @Nullable Object[] arguments) {
        RequestLedger ledger = RequestLedger.of(request);
        List<Charge> outstanding = ledger.outstanding(charges(limits, part, request, arguments));
        Ruling ruling = limiter.acquire(outstanding);
        if (ruling != null) {
            ledger.note(outstanding, ruling);
        }
        return refusal(ruling);
    }

    private @Nullable Decision asCallee(MethodLimits limits, HttpServletRequest request, @Nullable Object[] arguments) {
        RequestCalls calls = RequestCalls.of(request);
        RequestLedger ledger = RequestLedger.of(request);
        List<Charge> charges = charges(limits, limits.all(), request, arguments);
        boolean settled = calls.isSettled(limits);
        Ruling ruling = limiter.acquire(settled ? once(charges) : ledger.outstanding(charges));
        if (ruling != null) {
            ledger.note(ruling);
        }
        Decision refusal = refusal(ruling);
        if (refusal == null && !settled) {
            calls.settle(limits);
        }
        return refusal;
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
    private static List<Charge> once(List<Charge> charges) {
        return charges.size() < 2 ? charges : new RequestLedger().outstanding(charges);
    }

    private static @Nullable Decision refusal(@Nullable Ruling ruling) {
        return ruling == null || ruling.decision().permitted() ? null : ruling.decision();
    }
}
