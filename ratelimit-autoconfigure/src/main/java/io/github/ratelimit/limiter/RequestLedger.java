package io.github.ratelimit.limiter;

import io.github.ratelimit.Decision;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * What one request has paid so far, kept as a request attribute: a zone that its URL rule and an annotation both name
 * is charged once, at the higher cost. Used by one thread at a time.
 */
public final class RequestLedger {

    /** The request attribute. */
    public static final String ATTRIBUTE = RequestLedger.class.getName();

    private final List<Charge> paid = new ArrayList<>(2);
    private final List<Decision> decisions = new ArrayList<>(2);

    /** The ledger of a request, begun on first use. */
    public static RequestLedger of(HttpServletRequest request) {
        if (request.getAttribute(ATTRIBUTE) instanceof RequestLedger ledger) {
            return ledger;
        }
        RequestLedger ledger = new RequestLedger();
        request.setAttribute(ATTRIBUTE, ledger);
        return ledger;
    }

    /**
     * The part of these charges that is not paid yet.
     *
     * @param wanted charges, of which several may name the same zone and key
     * @return no zone and key twice
     */
    public List<Charge> outstanding(List<Charge> wanted) {
        if (wanted.size() == 1 && paid.isEmpty()) {
            return wanted;
        }
        List<Charge> outstanding = new ArrayList<>(wanted.size());
        for (Charge charge : wanted) {
            long rest = charge.cost() - paidFor(charge);
            int same = indexOf(outstanding, charge);
            if (rest > 0 && same < 0) {
                outstanding.add(new Charge(charge.zone(), charge.key(), rest, charge.dryRun()));
            } else if (rest > 0) {
                Charge other = outstanding.get(same);
                outstanding.set(
                        same,
                        new Charge(
                                charge.zone(),
                                charge.key(),
                                Math.max(rest, other.cost()),
                                charge.dryRun() && other.dryRun()));
            }
        }
        return outstanding;
    }

    /** Notes what the limiter said; charges count as paid when the request goes on. */
    public void note(List<Charge> charges, Ruling ruling) {
        decisions.addAll(ruling.zones());
        if (ruling.decision().permitted()) {
            paid.addAll(charges);
        }
    }

    /** Notes what the limiter said about a call that pays only for itself: nothing later is settled with it. */
    public void note(Ruling ruling) {
        decisions.addAll(ruling.zones());
    }

    /** The decisions so far, in the order in which they were made. */
    public List<Decision> decisions() {
        return List.copyOf(decisions);
    }

    private long paidFor(Charge charge) {
        long sum = 0;
        for (Charge other : paid) {
            if (same(charge, other)) {
                sum += other.cost();
            }
        }
        return sum;
    }

    private static int indexOf(List<Charge> charges, Charge charge) {
        for (int i = 0; i < charges.size(); i++) {
            if (same(charges.get(i), charge)) {
                return i;
            }
        }
        return -1;
    }

    private static boolean same(Charge a, Charge b) {
        return a.zone().name().equals(b.zone().name()) && Objects.equals(a.key(), b.key());
    }
}
