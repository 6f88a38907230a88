package io.github.ratelimit.web;

import io.github.ratelimit.Decision;
import io.github.ratelimit.RateLimitContext;
import io.github.ratelimit.limiter.RequestLedger;
import io.github.ratelimit.web.RequestDecider.Verdict;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

/**
 * One request's way through the filters, whatever dispatches it takes: kept as a request attribute. Used by one thread
 * at a time, the container's hand-over between dispatches making its state visible.
 */
final class Passage {

    private static final String ATTRIBUTE = Passage.class.getName();

    /** As they came to the first filter: from there the request starts again after a wait. */
    final HttpServletRequest request;

    final HttpServletResponse response;
    final RequestLedger ledger;
    private @Nullable Verdict early;
    private @Nullable Verdict authenticated;
    private @Nullable ResumedRequest waiting;
    private HttpServletRequest known;
    private @Nullable Decision strictest;
    private boolean closed;

    private Passage(HttpServletRequest request, HttpServletResponse response, RequestLedger ledger) {
        this.request = request;
        this.response = response;
        this.ledger = ledger;
        this.known = request;
    }

    /** The way of a request that has come to the first filter. */
    static Passage begin(HttpServletRequest request, HttpServletResponse response, RequestLedger ledger) {
        Passage passage = new Passage(request, response, ledger);
        request.setAttribute(ATTRIBUTE, passage);
        request.setAttribute(RateLimitContext.ATTRIBUTE, ledger);
        return passage;
    }

    /** The way of a request, {@code null} when it has not come to the first filter. */
    static @Nullable Passage of(HttpServletRequest request) {
        return request.getAttribute(ATTRIBUTE) instanceof Passage passage ? passage : null;
    }

    /** The request with all that is known about its user so far. */
    HttpServletRequest known() {
        return known;
    }

    /** Spring Security has let the request through. */
    void identify(HttpServletRequest identified) {
        known = identified;
    }

    /** The decision that a client is told of, {@code null} when there was none. */
    @Nullable
    Decision strictest() {
        return strictest;
    }

    /** Notes the decision that a client is told of. */
    void note(Decision decision) {
        strictest = decision;
    }

    /** What was decided in a pass, {@code null} when nothing was yet. */
    @Nullable
    Verdict verdict(Pass pass) {
        return pass == Pass.EARLY ? early : authenticated;
    }

    /** Notes what was decided in a pass. */
    void note(Pass pass, Verdict verdict) {
        if (pass == Pass.EARLY) {
            early = verdict;
        } else {
            authenticated = verdict;
        }
    }

    /** Whether a request still has the verb and the path that it came with. */
    boolean isUnchanged(HttpServletRequest seen) {
        return seen.getMethod().equals(request.getMethod())
                && seen.getRequestURI().equals(request.getRequestURI());
    }

    /** Lets the request wait. */
    ResumedRequest suspend() {
        ResumedRequest resumed = new ResumedRequest(request);
        waiting = resumed;
        return resumed;
    }

    /** Whether the request waits, or has waited and is on its way to the first filter. */
    boolean waiting() {
        return waiting != null;
    }

    /** The request that comes back from its wait, once; {@code null} when it has not waited. */
    @Nullable
    ResumedRequest resume() {
        ResumedRequest resumed = waiting;
        waiting = null;
        return resumed;
    }

    /**
     * The verdict of the first pass, when the request ends without having reached the second although that has the last
     * say; once.
     */
    @Nullable
    Verdict close() {
        Verdict verdict = early;
        if (closed || authenticated != null || verdict == null || verdict.open().isEmpty()) {
            return null;
        }
        closed = true;
        return verdict;
    }
}
