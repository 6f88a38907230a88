package io.github.ratelimit.algorithm;

/** One key's state as a store keeps it, in one thread and with the time given in milliseconds. */
final class Windows {

    private static final long MILLI = 1_000_000;

    private final Windowed windowed;
    private WindowState state;

    Windows(Windowed windowed) {
        this(windowed, WindowState.untouched(0));
    }

    private Windows(Windowed windowed, WindowState state) {
        this.windowed = windowed;
        this.state = state;
    }

    /** Draws written {@code at x cost}; a cost with a plus is drawn into debt, one with a minus is given back. */
    Windows after(String draws) {
        for (String draw : draws.isEmpty() ? new String[0] : draws.split(" ")) {
            String[] parts = draw.split("x");
            long at = Long.parseLong(parts[0]);
            long cost = Long.parseLong(parts[1]);
            if (parts[1].startsWith("+")) {
                state = windowed.charged(windowed.at(state, at * MILLI), cost);
            } else if (cost < 0) {
                state = windowed.at(state, at * MILLI).minus(-cost);
            } else if (!acquire(cost, at).admitted()) {
                throw new IllegalArgumentException("refused: " + draw);
            }
        }
        return this;
    }

    Step acquire(long cost, long at) {
        WindowState current = windowed.at(state, at * MILLI);
        Step step = windowed.judge(current, cost, at * MILLI);
        if (step.admitted()) {
            state = current.plus(cost);
        }
        return step;
    }

    /** The same key under another limit. */
    Windows under(Windowed other, long at) {
        return new Windows(other, other.adopted(state, windowed, at * MILLI));
    }

    WindowState state() {
        return state;
    }

    /** A step in one line, its times in milliseconds. */
    static String said(Step step) {
        String retry = step.retryNanos() == Step.NEVER ? "never" : "" + step.retryNanos() / MILLI;
        return step.verdict() + " " + step.remaining() + " " + step.resetNanos() / MILLI + " " + retry;
    }
}
