package io.github.ratelimit.algorithm;

/** So many slots; a request takes some and leaves them when it ends. */
public final class ReferenceSlots implements Reference {

    private static final long SECOND = 1_000_000_000;

    private final long slots;
    private long taken;

    /** No slot is taken. */
    public ReferenceSlots(long slots) {
        this.slots = slots;
    }

    @Override
    public Step acquire(long cost, long at) {
        if (cost > slots) {
            return new Step(Step.Verdict.UNAFFORDABLE, slots - taken, taken > 0 ? SECOND : 0, Step.NEVER, 0);
        }
        if (taken + cost > slots) {
            return new Step(Step.Verdict.REFUSED, slots - taken, SECOND, SECOND, 0);
        }
        taken += cost;
        return new Step(Step.Verdict.ADMITTED, slots - taken, taken > 0 ? SECOND : 0, 0, 0);
    }

    @Override
    public void charge(long cost, long at) {
        throw new UnsupportedOperationException("what is in use is known beforehand");
    }

    @Override
    public void refund(long cost, long at) {
        taken -= cost;
    }
}
