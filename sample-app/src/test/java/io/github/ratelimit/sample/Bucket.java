package io.github.ratelimit.sample;

import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * A leaky bucket as it is written for nginx and for the shop, and as it has to behave. Times are milliseconds.
 *
 * @param name its zone, and the last segment of its path
 * @param interval between two requests that leave; a divisor of 1000, for nginx takes whole requests in a second
 * @param burst requests that may wait
 * @param delayAfter how many of them are let straight through, {@link #NEVER} for all
 */
record Bucket(String name, int interval, int burst, int delayAfter) {

    static final int NEVER = Integer.MAX_VALUE;

    static final String PATH = "/differential/";

    /** The path that it limits. */
    String path() {
        return PATH + name;
    }

    /** Its line at the top of nginx's configuration. */
    String nginxZone() {
        return "limit_req_zone $arg_key zone=%s:1m rate=%dr/s;".formatted(name, 1000 / interval);
    }

    /** Its line at the path in nginx's configuration. */
    String nginxLimit() {
        String delay = switch (delayAfter) {
            case 0 -> "";
            case NEVER -> " nodelay";
            default -> " delay=" + delayAfter;
        };
        return "limit_req zone=" + name + (burst == 0 ? "" : " burst=" + burst) + delay + ";";
    }

    /** The properties of its zone in the shop's configuration. */
    Map<String, String> properties() {
        return Map.of(
                "key",
                "param:key",
                "algorithm",
                "leaky-bucket",
                "rate",
                1000 / interval + "/s",
                "burst",
                Integer.toString(burst),
                "delay-after",
                delayAfter == NEVER ? "never" : Integer.toString(delayAfter));
    }

    /**
     * Instants of one key's requests: bursts, steady traffic and pauses, none closer to an instant at which the answer
     * changes than the margin.
     */
    long[] timeline(RandomGenerator random, int requests, long margin) {
        long[] instants = new long[requests];
        Queue queue = new Queue();
        long now = random.nextLong(interval);
        int pace = 0;
        for (int i = 0; i < requests; i++) {
            pace = random.nextInt(5) == 0 ? random.nextInt(3) : pace;
            long next = now + gap(random, pace);
            while (!queue.isClear(next, margin)) {
                next = now + gap(random, pace);
            }
            now = next;
            instants[i] = now;
            if (queue.outcome(now) != Outcome.REJECTED) {
                queue.admit(now);
            }
        }
        return instants;
    }

    private long gap(RandomGenerator random, int pace) {
        return switch (pace) {
            case 0 -> random.nextLong(20, 80);
            case 1 -> random.nextLong(interval / 2, interval * 3L / 2);
            default -> random.nextLong(interval, interval * 2L);
        };
    }

    /** What becomes of a request, in nginx's words. */
    enum Outcome {
        PASSED,
        DELAYED,
        REJECTED
    }

    /** The queue of one key: all there is to know is when the last request in it will have left. */
    final class Queue {

        private long idleFrom = Long.MIN_VALUE / 2;

        Outcome outcome(long now) {
            if (idleFrom - now > (long) burst * interval) {
                return Outcome.REJECTED;
            }
            return delay(now) > 0 ? Outcome.DELAYED : Outcome.PASSED;
        }

        /** How long a request of this moment waits if it is admitted. */
        long delay(long now) {
            return Math.max(0, idleFrom - now - (long) delayAfter * interval);
        }

        /** Whether the outcome is the same a margin earlier and later. */
        boolean isClear(long now, long margin) {
            return outcome(now - margin) == outcome(now + margin);
        }

        void admit(long now) {
            idleFrom = Math.max(idleFrom, now) + interval;
        }
    }
}
