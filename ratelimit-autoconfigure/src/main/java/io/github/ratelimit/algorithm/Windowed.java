package io.github.ratelimit.algorithm;

/**
 * An algorithm that counts permits in windows of one length, the first of which begins at a request of the key.
 *
 * <p>A state follows its windows: each that is over leaves room for the next, which begins with what the key owes, as
 * much of it as a window has. All methods are pure. Time is only compared by its differences; after a clock's jump back
 * the current window begins anew with what was drawn in it, so that a key is at worst as if just spent.
 */
public sealed interface Windowed extends Algorithm permits FixedWindow, SlidingWindow {

    /** A debt is counted up to this time of quota, about 73 years. */
    long MAX_DEBT_NANOS = 1L << 61;

    /** The length of a window in nanoseconds. */
    long periodNanos();

    /** Permits that the previous window still counts for, rounded up. */
    long weight(WindowState state, long nowNanos);

    /** Whether the previous window counts at all. */
    boolean weighsPrevious();

    /**
     * Judges a draw.
     *
     * @param state the state as it is seen now
     * @param cost permits to draw
     * @return the step; when it admits, as seen after the draw
     */
    default Step judge(WindowState state, long cost, long nowNanos) {
        return judge(state, cost, nowNanos, new Step());
    }

    /** Judges a draw in the place that is given for it. */
    Step judge(WindowState state, long cost, long nowNanos, Step into);

    /** The state as it is seen now: windows that are over are left behind. */
    default WindowState at(WindowState state, long nowNanos) {
        long elapsed = nowNanos - state.startNanos();
        long windows = elapsed < periodNanos() ? 0 : elapsed / periodNanos();
        long previous = state.previous();
        long used = state.used();
        long debt = state.debt();
        if (windows > 0) {
            long owed = owed(debt, windows);
            previous = weighsPrevious() ? previous(state, windows) : 0;
            used = Math.min(owed, limit());
            debt = owed - used;
        }
        boolean anew = elapsed < 0 || (previous | used | debt) == 0;
        // one place that makes the state, so that the compiler can do without the object
        return new WindowState(anew ? nowNanos : state.startNanos() + windows * periodNanos(), previous, used, debt);
    }

    /** After a draw that is made whether or not there is anything left: what a window has no room for is owed. */
    default WindowState charged(WindowState state, long cost) {
        long drawn = Math.min(cost, Math.max(0, limit() - state.used()));
        long most = MAX_DEBT_NANOS / periodNanos() * limit();
        long owed = cost - drawn > most - state.debt() ? most : state.debt() + cost - drawn;
        return new WindowState(state.startNanos(), state.previous(), state.used() + drawn, owed);
    }

    /** The same consumption, said under this limit. */
    default WindowState adopted(WindowState state, Windowed from, long nowNanos) {
        WindowState seen = from.at(state, nowNanos);
        long previous = weighsPrevious() ? seen.previous() : 0;
        long used = weighsPrevious() ? seen.used() : seen.used() + from.weight(seen, nowNanos);
        // a higher limit has room for what was owed under the lower one
        long paid = Math.min(seen.debt(), Math.max(0, limit() - used));
        return new WindowState(seen.startNanos(), previous, used + paid, seen.debt() - paid);
    }

    /** What a window so much later begins with, of a debt of the current one, if nobody draws meanwhile. */
    default long owed(long debt, long windows) {
        return windows - 1 >= MAX_DEBT_NANOS / periodNanos() ? 0 : Math.max(0, debt - (windows - 1) * limit());
    }

    /** What the window before that one draws. */
    default long previous(WindowState state, long windows) {
        return windows == 1 ? state.used() : Math.min(owed(state.debt(), windows - 1), limit());
    }

    /** How many windows later, at least one, a window begins with no more than this. */
    default long windowsUntil(long debt, long owed) {
        long excess = Math.max(0, debt - owed);
        return 1 + excess / limit() + (excess % limit() == 0 ? 0 : 1);
    }
}
