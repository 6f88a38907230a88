package io.github.ratelimit.web;

import io.github.ratelimit.Decision;
import io.github.ratelimit.RateLimitContext;
import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.limiter.RequestLedger;
import io.github.ratelimit.web.RequestDecider.Verdict;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * Charges each request to the zones of its URL rule before it reaches the application.
 *
 * <p>One logical request is decided once, whatever dispatches it causes and however often this filter stands in its
 * way. Two of these run: one before Spring Security, one behind it for the zones that count by identity. A request that
 * Spring Security answers itself never reaches the second; what it would have paid there without an identity is looked
 * at by the first, and charged when the request ends.
 *
 * <p>A delayed request waits asynchronously. When it is dispatched again it looks like a new request to all filters
 * behind this one, which goes on where it stopped.
 */
public final class RateLimitFilter implements Filter {

    private final Pass pass;
    private final RequestDecider decider;
    private final Rejections rejections;
    private final QuotaHeaders headers;
    private final WaitingRoom room;

    /**
     * A filter of one pass.
     *
     * @param decider charges requests
     * @param rejections answers refused requests
     * @param headers tells clients about their quota
     * @param room where delayed requests wait
     */
    public RateLimitFilter(
            Pass pass, RequestDecider decider, Rejections rejections, QuotaHeaders headers, WaitingRoom room) {
        this.pass = pass;
        this.decider = decider;
        this.rejections = rejections;
        this.headers = headers;
        this.room = room;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (request instanceof HttpServletRequest httpRequest
                && response instanceof HttpServletResponse httpResponse
                && request.getDispatcherType() == DispatcherType.REQUEST) {
            filter(httpRequest, httpResponse, chain);
        } else {
            chain.doFilter(request, response);
        }
    }

    private void filter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Object state = request.getAttribute(pass.attribute());
        if (state == null) {
            decide(request, response, chain);
        } else if (state instanceof Verdict waited) {
            request.setAttribute(pass.attribute(), Boolean.TRUE);
            proceed(request, response, chain, waited);
        } else {
            chain.doFilter(request, response);
        }
    }

    private void decide(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        request.setAttribute(pass.attribute(), Boolean.TRUE);
        RequestLedger ledger = ledger(request, response);
        Verdict verdict = decider.decide(request, ledger, pass);
        Decision refusal = verdict.refusal();
        if (refusal != null) {
            ledger.release();
            rejections.reject(request, response, refusal);
        } else if (verdict.delay().isZero()) {
            proceed(request, response, chain, verdict);
        } else {
            request.setAttribute(pass.attribute(), verdict);
            room.enter(request, response, verdict.delay());
            ReleaseListener.releaseWhenComplete(request, ledger);
        }
    }

    private RequestLedger ledger(HttpServletRequest request, HttpServletResponse response) {
        if (request.getAttribute(RateLimitContext.ATTRIBUTE) instanceof RequestLedger ledger) {
            return ledger;
        }
        RequestLedger ledger = decider.newLedger();
        ledger.onStricter(decision -> headers.write(request, response, decision));
        request.setAttribute(RateLimitContext.ATTRIBUTE, ledger);
        return ledger;
    }

    private void proceed(HttpServletRequest request, HttpServletResponse response, FilterChain chain, Verdict verdict)
            throws IOException, ServletException {
        try {
            chain.doFilter(request, response);
        } catch (ServletException e) {
            if (!(e.getRootCause() instanceof RateLimitExceededException refusal) || response.isCommitted()) {
                throw e;
            }
            rejections.reject(request, response, refusal.decision());
        } catch (RateLimitExceededException e) {
            if (response.isCommitted()) {
                throw e;
            }
            rejections.reject(request, response, e.decision());
        } finally {
            if (pass == Pass.EARLY) {
                end(request, verdict);
            }
        }
    }

    private void end(HttpServletRequest request, Verdict verdict) {
        if (request.getAttribute(Pass.AUTHENTICATED.attribute()) == null) {
            decider.closeWithoutIdentity(verdict);
        }
        if (request.getAttribute(RateLimitContext.ATTRIBUTE) instanceof RequestLedger ledger) {
            if (request.isAsyncStarted()) {
                ReleaseListener.releaseWhenComplete(request, ledger);
            } else {
                ledger.release();
            }
        }
    }
}
