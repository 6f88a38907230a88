package io.github.ratelimit.method;

import io.github.ratelimit.key.KeyPart;
import io.github.ratelimit.key.KeyPlan;
import io.github.ratelimit.key.RateLimitKey;
import io.github.ratelimit.key.RequestView;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;

/** One call of a limited method, as resolvers and expressions see it. Used by one thread. */
final class Call {

    private final RequestView view;
    private final @Nullable HttpServletRequest request;
    private final Variables variables;
    private final @Nullable Object[] arguments;
    private final EvaluationContext context;

    /**
     * A call.
     *
     * @param view what resolvers see
     * @param request the request that led to it, {@code null} when there is none
     * @param variables the names of the arguments
     * @param arguments the arguments, none while they are not bound
     * @param shared what all evaluations have in common
     */
    Call(
            RequestView view,
            @Nullable HttpServletRequest request,
            Variables variables,
            @Nullable Object[] arguments,
            EvaluationContext shared) {
        this.view = view;
        this.request = request;
        this.variables = variables;
        this.arguments = arguments;
        this.context = new CallContext(shared, this);
    }

    /** The request that led to the call, {@code null} when there is none. */
    @Nullable
    HttpServletRequest request() {
        return request;
    }

    /** What an expression is evaluated with. */
    EvaluationContext context() {
        return context;
    }

    /** The key that a resolver finds, {@code null} when there is none. */
    @Nullable
    RateLimitKey resolve(KeyPart part) {
        try {
            return part.resolve(view);
        } catch (NoRequest.Missing e) {
            return null;
        }
    }

    /** The key that a zone's resolvers find, {@code null} when there is none. */
    @Nullable
    RateLimitKey resolve(KeyPlan plan) {
        try {
            return plan.resolve(view);
        } catch (NoRequest.Missing e) {
            return null;
        }
    }

    /** The key that stands in for a missing one, {@code null} when the zone wants none. */
    @Nullable
    RateLimitKey standIn(KeyPlan plan) {
        if (request == null) {
            return plan.missing() == KeyPlan.MissingKey.CLIENT_IP ? NoRequest.KEY : null;
        }
        return plan.standIn(view);
    }

    /** The value of a variable, {@code null} when there is none. */
    @Nullable
    Object variable(String name) {
        int argument = variables.argument(name);
        if (argument >= 0) {
            return argument < arguments.length ? arguments[argument] : null;
        }
        return switch (name) {
            case Variables.REQUEST -> request;
            case Variables.PRINCIPAL -> request == null ? null : request.getUserPrincipal();
            default -> null;
        };
    }
}
