package io.github.ratelimit.web;

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
import io.github.ratelimit.policy.Rule;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.cors.CorsUtils;

/**
 * Charges each request to the zones of its URL rule before it reaches the application.
 *
 * <p>One logical request is decided once, whatever dispatches it causes and however often this filter stands in its
 * way. Two of these run: one before Spring Security, one behind it for the zones that count by identity. A request that
 * Spring Security answers itself never reaches the second; what it would have paid there without an identity is looked
 * at by the first, and charged when the request ends.
 */
public final class RateLimitFilter implements Filter {

    private final Pass pass;
    private final PolicyHolder policies;
    private final RateLimiter limiter;
    private final ClientAddress clients;
    private final ExemptPaths exempt;
    private final Rejections rejections;

    /**
     * A filter of one pass.
     *
     * @param clients tells who the client is
     * @param exempt what is never charged
     * @param rejections answers refused requests
     */
    public RateLimitFilter(
            Pass pass,
            PolicyHolder policies,
            RateLimiter limiter,
            ClientAddress clients,
            ExemptPaths exempt,
            Rejections rejections) {
        this.pass = pass;
        this.policies = policies;
        this.limiter = limiter;
        this.clients = clients;
        this.exempt = exempt;
        this.rejections = rejections;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (request instanceof HttpServletRequest httpRequest
                && response instanceof HttpServletResponse httpResponse
                && isFirst(httpRequest)) {
            decide(httpRequest, httpResponse, chain);
        } else {
            chain.doFilter(request, response);
        }
    }

    private boolean isFirst(HttpServletRequest request) {
        if (request.getDispatcherType() != DispatcherType.REQUEST || request.getAttribute(pass.attribute()) != null) {
            return false;
        }
        request.setAttribute(pass.attribute(), Boolean.TRUE);
        return true;
    }

    private void decide(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Policy policy = policies.get();
        ServletRequestView view = new ServletRequestView(request, clients);
        Rule rule = policy.table().find(view.path(), view.method());
        if (rule == null
                || rule.unlimited()
                || exempt.exempt(view.path(), rule)
                || CorsUtils.isPreFlightRequest(request)) {
            proceed(request, response, chain);
            return;
        }
        view.matched(rule.path());
        List<Charge> withoutIdentity =
                pass == Pass.EARLY ? RequestCharges.withoutIdentity(policy, rule, view) : List.of();
        Decision refusal = refusal(request, RequestCharges.of(policy, rule, view, pass), withoutIdentity);
        // the rule counts a request once: when it is refused, or in the last pass that has a say
        boolean lastSay = (pass == Pass.AUTHENTICATED) == RequestCharges.needIdentity(policy, rule, view);
        if (refusal != null || lastSay) {
            limiter.statistics(rule).count(refusal == null);
        }
        if (refusal != null) {
            rejections.reject(request, response, refusal);
        } else if (pass == Pass.AUTHENTICATED || lastSay) {
            proceed(request, response, chain);
        } else {
            proceed(request, response, chain, rule, withoutIdentity);
        }
    }

    /** Draws the charges; the decision if the request must not go on. */
    private @Nullable Decision refusal(HttpServletRequest request, List<Charge> charges, List<Charge> withoutIdentity) {
        Ruling spent = limiter.wouldRefuse(withoutIdentity);
        if (spent != null) {
            return spent.decision();
        }
        RequestLedger ledger = RequestLedger.of(request);
        List<Charge> outstanding = ledger.outstanding(charges);
        Ruling ruling = limiter.acquire(outstanding);
        if (ruling == null) {
            return null;
        }
        ledger.note(outstanding, ruling);
        return ruling.decision().permitted() ? null : ruling.decision();
    }

    private void proceed(
            HttpServletRequest request,
            HttpServletResponse response,
            FilterChain chain,
            Rule rule,
            List<Charge> withoutIdentity)
            throws IOException, ServletException {
        try {
            proceed(request, response, chain);
        } finally {
            if (request.getAttribute(Pass.AUTHENTICATED.attribute()) == null) {
                limiter.acquire(withoutIdentity);
                limiter.statistics(rule).count(true);
            }
        }
    }

    private void proceed(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        try {
            chain.doFilter(request, response);
        } catch (ServletException e) {
            if (e.getRootCause() instanceof RateLimitExceededException refusal && !response.isCommitted()) {
                rejections.reject(request, response, refusal.decision());
            } else {
                throw e;
            }
        } catch (RateLimitExceededException e) {
            if (response.isCommitted()) {
                throw e;
            }
            rejections.reject(request, response, e.decision());
        }
    }
}
