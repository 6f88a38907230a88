package io.github.ratelimit.limiter;

import io.github.ratelimit.algorithm.Step;
import io.github.ratelimit.store.Bans.Ban;
import io.github.ratelimit.store.SharedStore;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One request's or call's attempt to draw on all its zones or on none: first on those of this instance, then in one trip
 * on those that are shared. Used by one thread, once.
 */
final class Attempt {

    private static final int[] NONE = {};

    private final Draws draws;
    private final LiveZones zones;
    private final SharedStore store;
    private final Settlement settlement;
    private final PenaltyBox penalties;
    private final LimiterListener listener;

    Attempt(
            List<Charge> charges,
            LiveZones zones,
            SharedStore store,
            Settlement settlement,
            PenaltyBox penalties,
            LimiterListener listener) {
        this.draws = new Draws(charges);
        this.zones = zones;
        this.store = store;
        this.settlement = settlement;
        this.penalties = penalties;
        this.listener = listener;
    }

    /** Draws from every zone, or from none. */
    boolean draw() {
        return passBans() && (draws.count() == 1 || lookAtOwn()) && drawOwn() && drawShared();
    }

    /** Whether {@link #draw} would succeed; draws nothing. */
    boolean wouldDraw() {
        return passBans() && wouldDrawUnbanned() & passNews(trip(), false);
    }

    /** Finds out what {@link #draw} would say, to banned keys from the state of their quota too; draws nothing. */
    void look() {
        wouldDrawUnbanned();
        passNews(IntStream.range(0, draws.count()).toArray(), false);
    }

    /** Whether it would if nobody were banned; draws nothing. */
    boolean wouldDrawUnbanned() {
        return lookAtOwn() & lookAtShared();
    }

    /** What became of the charges of an attempt that succeeded, or that only looked. */
    List<Draw> draws() {
        return draws.all();
    }

    /** The refusals on which an attempt failed. */
    List<Draw> refusals() {
        return draws.refusals();
    }

    /** How long the request has to wait. */
    long delayNanos() {
        return draws.delayNanos();
    }

    /** There is no place left to wait: the zones that delay refuse, and nothing is drawn. */
    void unseat() {
        giveBack(draws.count());
        draws.unseat();
    }

    /** Bans come before any store; a banned key that only rehearses goes on without one. */
    private boolean passBans() {
        boolean passed = true;
        for (int i = 0; i < draws.count(); i++) {
            Charge charge = draws.charge(i);
            Ban ban = penalties.ban(charge);
            if (ban != null) {
                passed &= draws.noted(i, Draw.banned(charge, ban.restNanos(), knownQuota(charge)));
            }
        }
        return passed;
    }

    /** What a banned key's own limit would say, as far as that is known without a trip. */
    private @Nullable Step knownQuota(Charge charge) {
        return charge.isShared()
                ? store.known(charge.demand(charge.cost()))
                : zones.look(charge, Tier.LOCAL).step();
    }

    private boolean lookAtOwn() {
        boolean drawable = true;
        for (int i = 0; i < draws.count(); i++) {
            if (isOwn(i)) {
                drawable &= draws.noted(i, zones.look(draws.charge(i), Tier.LOCAL));
            }
        }
        return drawable;
    }

    private boolean drawOwn() {
        for (int i = 0; i < draws.count(); i++) {
            if (isOwn(i) && !draws.noted(i, zones.draw(draws.charge(i), Tier.LOCAL))) {
                giveBack(i);
                return false;
            }
        }
        return true;
    }

    private boolean lookAtShared() {
        int[] trip = trip();
        return trip.length == 0 || sharedTrip(trip).look();
    }

    private boolean drawShared() {
        int[] trip = trip();
        if (trip.length == 0) {
            return true;
        }
        boolean drawn = sharedTrip(trip).draw();
        if (passNews(trip, true) && drawn) {
            return true;
        }
        giveBack(draws.count());
        return false;
    }

    /**
     * A ban of a key that this instance has not met before is heard of during the trip, and decides whatever else was said.
     *
     * @param drew whether what was admitted was drawn, and has to be given back
     */
    private boolean passNews(int[] asked, boolean drew) {
        boolean passed = true;
        for (int i : asked) {
            Charge charge = draws.charge(i);
            Ban ban = charge.dryRun() ? null : penalties.ban(charge);
            if (ban != null) {
                Draw said = draws.at(i);
                if (drew) {
                    giveBackOne(i);
                }
                Step quota = said == null || !said.refused() ? null : said.step();
                passed &= draws.noted(i, Draw.banned(charge, ban.restNanos(), quota));
            }
        }
        return passed;
    }

    private SharedTrip sharedTrip(int[] trip) {
        return new SharedTrip(draws, trip, zones, store, listener);
    }

    /** Gives back what was drawn for the first of the charges. */
    private void giveBack(int before) {
        for (int i = 0; i < before; i++) {
            giveBackOne(i);
        }
    }

    private void giveBackOne(int i) {
        Draw draw = draws.at(i);
        if (draw != null) {
            settlement.refund(draw, draw.charge().cost());
        }
    }

    /** The charges that the shared store decides. */
    private int[] trip() {
        int[] trip = NONE;
        for (int i = 0; i < draws.count(); i++) {
            if (draws.charge(i).isShared() && !draws.isBanned(i)) {
                trip = Arrays.copyOf(trip, trip.length + 1);
                trip[trip.length - 1] = i;
            }
        }
        return trip;
    }

    private boolean isOwn(int i) {
        return !draws.charge(i).isShared() && !draws.isBanned(i);
    }
}
