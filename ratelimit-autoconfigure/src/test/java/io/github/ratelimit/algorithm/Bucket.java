package io.github.ratelimit.algorithm;

/** One key's state as a store keeps it, in one thread and with the time given. */
final class Bucket {

    private final Gcra gcra;
    private long tat;

    Bucket(String rate, long burst) {
        this(rate, burst, 0);
    }

    Bucket(String rate, long burst, long now) {
        this(TokenBucket.of(Rate.parse(rate), burst), now);
    }

    Bucket(TokenBucket algorithm, long now) {
        this.gcra = algorithm.gcra();
        this.tat = gcra.full(now);
    }

    Step acquire(long cost, long now) {
        if (gcra.admits(tat, cost, now)) {
            tat = gcra.after(tat, cost, now);
            return gcra.admitted(tat, now);
        }
        Step refused = gcra.refused(tat, cost, now);
        if (gcra.isAhead(tat, now)) {
            tat = gcra.settled(tat, now);
        }
        return refused;
    }

    /** How many of so many single draws are admitted. */
    long admitted(int draws, long now) {
        long admitted = 0;
        for (int i = 0; i < draws; i++) {
            admitted += acquire(1, now).admitted() ? 1 : 0;
        }
        return admitted;
    }

    void refund(long cost, long now) {
        tat = gcra.refunded(tat, cost, now);
    }

    /** The same key under another limit. */
    Bucket under(String rate, long burst, long now) {
        Bucket other = new Bucket(rate, burst, now);
        other.tat = other.gcra.converted(tat, gcra, now);
        return other;
    }

    long fillNanos() {
        return gcra.fillNanos();
    }
}
