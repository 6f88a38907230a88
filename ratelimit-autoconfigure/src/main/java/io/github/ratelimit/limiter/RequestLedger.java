package io.github.ratelimit.limiter;

import io.github.ratelimit.Decision;
import io.github.ratelimit.RateLimitContext;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What one request has paid so far: a zone that its URL rule and an annotation both name is charged once, at the higher
 * cost. Settles what turns out to cost more or less, and gives back what a request only occupies while it lives.
 *
 * <p>Safe for use by many threads; nothing waits while it is locked.
 */
public final class RequestLedger implements RateLimitContext {

    private final RateLimiter limiter;
    private final List<Entry> paid = new ArrayList<>(2);
    private final List<Decision> decisions = new ArrayList<>(2);
    private @Nullable Consumer<Decision> onStricter;
    private @Nullable Decision strictest;
    private boolean released;

    /** An empty ledger. */
    public RequestLedger(RateLimiter limiter) {
        this.limiter = limiter;
    }

    /** Tells a listener of the zone with the fewest permits left, each time another one is. */
    public synchronized void onStricter(Consumer<Decision> listener) {
        onStricter = listener;
    }

    /**
     * The part of these charges that is not paid yet.
     *
     * @param wanted charges, of which several may name the same zone and key
     * @return no zone and key twice
     */
    public synchronized List<Charge> outstanding(List<Charge> wanted) {
        if (wanted.size() == 1 && paid.isEmpty()) {
            return wanted;
        }
        List<Charge> outstanding = new ArrayList<>(wanted.size());
        for (Charge charge : wanted) {
            long rest = charge.cost() - paidFor(charge);
            int same = indexOf(outstanding, charge);
            if (rest > 0 && same < 0) {
                outstanding.add(charge.costing(rest));
            } else if (rest > 0) {
                Charge other = outstanding.get(same);
                outstanding.set(
                        same,
                        new Charge(
                                charge.zone(),
                                charge.key(),
                                Math.max(rest, other.cost()),
                                charge.dryRun() && other.dryRun(),
                                charge.allowance()));
            }
        }
        return outstanding;
    }

    /**
     * Notes what the limiter said to a request on its way to its handler. A refused request consumes nothing: it gets back
     * all that it has paid so far, but for what it occupies until it ends.
     *
     * @param ruling about what was {@link #outstanding}
     * @param wanted the charges in full
     * @return the ruling; a refusal of a rest tells how long to wait for the whole, which is what the next request pays
     */
    public Ruling note(Ruling ruling, List<Charge> wanted) {
        if (ruling.decision().permitted()) {
            note(ruling);
            return ruling;
        }
        List<Charge> begun = giveBack(wanted);
        // asked of the limiter without the lock: the state may be a shared store's
        Ruling told = begun.isEmpty() ? ruling : limiter.restated(ruling, begun);
        noteDecisions(told);
        return told;
    }

    /** Notes what the limiter said to a request that goes on; what was drawn counts as paid by it. */
    public synchronized void note(Ruling ruling) {
        noteDecisions(ruling);
        for (Draw draw : ruling.draws()) {
            Entry entry = new Entry(draw);
            paid.add(entry);
            if (released) {
                entry.release();
            }
        }
    }

    /** Notes what the limiter said about a call that pays for itself: it pays nothing for the rest of the request. */
    public synchronized void noteDecisions(Ruling ruling) {
        decisions.addAll(ruling.zones());
        for (Decision decision : ruling.zones()) {
            if (decision.permitted() && (strictest == null || Decisions.isStricter(decision, strictest))) {
                strictest = decision;
                if (onStricter != null) {
                    onStricter.accept(decision);
                }
            }
        }
    }

    /** Whether there is anything to {@link #release}. */
    public synchronized boolean occupies() {
        return !released && paid.stream().anyMatch(entry -> entry.draw.occupies());
    }

    /** Gives back what the request occupied while it lived; does so once, and at once for whatever comes later. */
    public synchronized void release() {
        if (!released) {
            released = true;
            paid.forEach(Entry::release);
        }
    }

    @Override
    public synchronized List<Decision> decisions() {
        return List.copyOf(decisions);
    }

    @Override
    public synchronized void charge(long permits) {
        for (Entry entry : settled(null, permits)) {
            entry.charge(permits);
        }
    }

    @Override
    public synchronized void charge(String zone, long permits) {
        for (Entry entry : settled(zone, permits)) {
            entry.charge(permits);
        }
    }

    @Override
    public synchronized void refund(long permits) {
        for (Entry entry : settled(null, permits)) {
            refund(entry.draw.charge(), permits);
        }
    }

    @Override
    public synchronized void refund(String zone, long permits) {
        for (Entry entry : settled(zone, permits)) {
            refund(entry.draw.charge(), permits);
        }
    }

    /**
     * Gives back what was paid so far.
     *
     * @return those of the charges, each zone and key once, of which a part had been paid
     */
    private synchronized List<Charge> giveBack(List<Charge> wanted) {
        if (paid.isEmpty()) {
            return List.of();
        }
        List<Charge> begun = new RequestLedger(limiter)
                .outstanding(wanted).stream()
                        .filter(charge -> !charge.dryRun() && paidFor(charge) > 0)
                        .toList();
        paid.forEach(Entry::giveBack);
        return begun;
    }

    /** One entry for each zone and key that was drawn on, all of them or those of one zone. */
    private List<Entry> settled(@Nullable String zone, long permits) {
        if (permits < 0) {
            throw new IllegalArgumentException("Permits must not be negative: " + permits);
        }
        boolean known = zone == null;
        List<Entry> entries = new ArrayList<>(paid.size());
        for (Entry entry : paid) {
            Charge charge = entry.draw.charge();
            if ((zone == null || zone.equals(charge.zone().name())) && !charge.occupies()) {
                known = true;
                // a dry run goes on without having drawn anything: there is nothing to settle
                if (entry.draw.drawn()
                        && entries.stream().noneMatch(other -> charge.sameAccount(other.draw.charge()))) {
                    entries.add(entry);
                }
            }
        }
        if (!known) {
            throw new IllegalArgumentException("The request has not paid zone '" + zone + "'");
        }
        return entries;
    }

    /** Gives back to one zone and key, which may have been paid in parts. */
    private void refund(Charge account, long permits) {
        long rest = permits;
        for (Entry entry : paid) {
            if (rest > 0 && entry.draw.drawn() && account.sameAccount(entry.draw.charge())) {
                rest -= entry.refund(rest);
            }
        }
    }

    /**
     * What the request has paid for this already; a dry run that drew nothing has paid only for another dry run, and who
     * is unlimited has nothing to pay.
     */
    private long paidFor(Charge charge) {
        long sum = 0;
        for (Entry entry : paid) {
            if (!entry.givenBack
                    && charge.sameAccount(entry.draw.charge())
                    && (entry.draw.drawn() || charge.dryRun() || charge.unlimited())) {
                sum += entry.draw.charge().cost();
            }
        }
        return sum;
    }

    private static int indexOf(List<Charge> charges, Charge charge) {
        for (int i = 0; i < charges.size(); i++) {
            if (charge.sameAccount(charges.get(i))) {
                return i;
            }
        }
        return -1;
    }

    /** One draw and what was settled on it afterwards. */
    private final class Entry {

        private final Draw draw;
        private long refundable;
        private boolean givenBack;

        Entry(Draw draw) {
            this.draw = draw;
            this.refundable = draw.charge().cost();
        }

        void charge(long permits) {
            long sum = refundable + permits;
            refundable = sum < 0 ? Long.MAX_VALUE : sum;
            limiter.charge(draw, permits);
        }

        /** Gives back what is left of it. */
        long refund(long permits) {
            long given = Math.min(refundable, permits);
            refundable -= given;
            limiter.refund(draw, given);
            return given;
        }

        /** Gives back all that is left of it, and pays for nothing any more; what is occupied comes back at the end. */
        void giveBack() {
            if (!draw.occupies()) {
                refund(refundable);
                givenBack = true;
            }
        }

        void release() {
            if (draw.occupies()) {
                limiter.refund(draw, draw.charge().cost());
            }
        }
    }
}
