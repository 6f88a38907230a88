package io.github.ratelimit.web;

import io.github.ratelimit.Decision;
import io.github.ratelimit.key.ClientAddress;
import io.github.ratelimit.key.ServletRequestView;
import io.github.ratelimit.limiter.Charge;
import io.github.ratelimit.limiter.RateLimiter;
import io.github.ratelimit.limiter.RequestLedger;
import io.github.ratelimit.limiter.Ruling;
import io.github.ratelimit.observe.Origin;
import io.github.ratelimit.policy.PolicyHolder;
import io.github.ratelimit.policy.Rule;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.cors.CorsUtils;

/** Finds the URL rule of a request and charges its zones. Safe for use by many threads. */
public final class RequestDecider {

    private final PolicyHolder policies;
    private final RateLimiter limiter;
    private final ClientAddress clients;
    private final ExemptPaths exempt;

    /**
     * A decider.
     *
     * @param policies the policy in force
     * @param limiter decides
     * @param clients tells who the client is
     * @param exempt what is never charged
     */
    public RequestDecider(PolicyHolder policies, RateLimiter limiter, ClientAddress clients, ExemptPaths exempt) {
        this.policies = policies;
        this.limiter = limiter;
        this.clients = clients;
        this.exempt = exempt;
    }

    /**
     * What was decided about a request in one pass.
     *
     * @param refusal the decision when it must not go on
     * @param delay how long it has to wait, zero for at once
     * @param open its rules, when it goes on and the other pass has the last say
     * @param withoutIdentity what the request has to pay then if it ends without having reached the other pass
     * @param origin what led to it
     */
    record Verdict(
            @Nullable Decision refusal, Duration delay, List<Rule> open, List<Charge> withoutIdentity, Origin origin) {

        static final Verdict UNLIMITED = new Verdict(null, Duration.ZERO, List.of(), List.of(), Origin.UNKNOWN);
    }

    /** A ledger for a request that has none yet. */
    RequestLedger newLedger() {
        return new RequestLedger(limiter);
    }

    /** Charges a request for one pass. */
    Verdict decide(HttpServletRequest request, RequestLedger ledger, Pass pass) {
        RequestCharges charges = RequestCharges.of(policies.get(), new ServletRequestView(request, clients), exempt);
        List<Rule> rules = charges.rules();
        if (rules.isEmpty() || CorsUtils.isPreFlightRequest(request)) {
            return Verdict.UNLIMITED;
        }
        boolean needIdentity = charges.needIdentity();
        List<Charge> withoutIdentity =
                needIdentity && pass == Pass.EARLY ? ledger.outstanding(charges.withoutIdentity()) : List.of();
        Ruling ruling = limiter.wouldRefuse(withoutIdentity, charges);
        if (ruling != null) {
            ruling = ledger.note(ruling, withoutIdentity);
        } else {
            ruling = acquire(charges.in(pass), ledger, charges);
        }
        Decision refusal = ruling == null || ruling.decision().permitted() ? null : ruling.decision();
        // a rule counts a request once: when it is refused, or in the last pass that has a say
        boolean lastSay = needIdentity == (pass == Pass.AUTHENTICATED);
        if (refusal != null || lastSay) {
            count(rules, refusal == null);
        }
        return new Verdict(
                refusal,
                ruling == null ? Duration.ZERO : ruling.delay(),
                refusal == null && !lastSay ? rules : List.of(),
                withoutIdentity,
                charges);
    }

    /** Charges a request, whose user is known by now, for what it has not paid because it has become another since. */
    Verdict decideChanged(HttpServletRequest request, RequestLedger ledger) {
        RequestCharges charges = RequestCharges.of(policies.get(), new ServletRequestView(request, clients), exempt);
        List<Charge> all = new ArrayList<>(charges.in(Pass.EARLY));
        all.addAll(charges.in(Pass.AUTHENTICATED));
        Ruling ruling = CorsUtils.isPreFlightRequest(request) ? null : acquire(all, ledger, charges);
        if (ruling == null) {
            return Verdict.UNLIMITED;
        }
        Decision refusal = ruling.decision().permitted() ? null : ruling.decision();
        count(charges.rules(), refusal == null);
        return new Verdict(refusal, ruling.delay(), List.of(), List.of(), charges);
    }

    private @Nullable Ruling acquire(List<Charge> wanted, RequestLedger ledger, Origin origin) {
        Ruling ruling = limiter.acquire(ledger.outstanding(wanted), origin);
        return ruling == null ? null : ledger.note(ruling, wanted);
    }

    /** Charges a request that has ended without having reached the pass behind Spring Security. */
    void closeWithoutIdentity(Verdict verdict) {
        limiter.owe(verdict.withoutIdentity(), verdict.origin());
        count(verdict.open(), true);
    }

    private void count(List<Rule> rules, boolean permitted) {
        for (int i = 0; i < rules.size(); i++) {
            limiter.statistics(rules.get(i)).count(permitted);
        }
    }
}
